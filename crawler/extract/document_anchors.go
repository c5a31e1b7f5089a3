package extract

import (
	"cmp"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// HashAnchor returns the XXH64 hash of a fragment name, as stored in Document.AnchorHashes.
// Hashes are stored across runs, so the algorithm must not change.
func HashAnchor(name []byte) uint64 { return xxhash.Sum64(name) }

// identifier is what is known about an anchor while the document is read, in addition to
// its name.
type identifier struct {
	hash uint64
	at   int32 // offset of an id in the document, -1 for other names
}

// anchorSpot is a place that has anchors.
type anchorSpot struct {
	wanted bool // places are asked for
	at     int  // offset in the document, -1 if it is not known
	level  int  // of a heading
	title  string
}

// mark sets the place of the next anchors.
func (s *anchorSpot) mark(at, level int, title []byte) {
	if s.wanted {
		s.at, s.level, s.title = at, level, string(title)
	}
}

// markInline sets the place of the next anchor within a text, unless that is the text of a heading.
func (s *anchorSpot) markInline(v *view, off int) {
	if s.wanted && s.level == 0 {
		s.at = v.source(off)
	}
}

// placeAnchor records the place of an anchor: that of an id, if it is not -1, or the marked one.
func placeAnchor(h *harvest, name string, id int) {
	spot := h.spot
	if id >= 0 {
		spot = anchorSpot{at: id}
	}
	if spot.at >= 0 && spot.at <= len(h.places.doc) {
		line, column := h.places.at(spot.at)
		h.doc.Places = append(h.doc.Places, AnchorPlace{name, line, column, spot.level, spot.title})
	}
}

// anchor adds a fragment name.
func (h *harvest) anchor(name []byte) (ok bool) { return h.identifier(name, -1) }

// id adds an element's id, whose offset in the document is start.
func (h *harvest) id(name []byte, start int) { h.identifier(name, start) }

func (h *harvest) identifier(name []byte, at int) (ok bool) {
	if len(name) == 0 || equalFold(name, "top") { // each page has this one
		if string(name) == "top" && h.spot.wanted {
			placeAnchor(h, "top", at)
		}
		return false
	}
	if len(h.anchors) == maxAnchors {
		h.fault("read anchors: more than %d; the rest are ignored", maxAnchors)
		return false
	}
	h.anchors = append(h.anchors, identifier{HashAnchor(name), int32(at)})
	if h.bare && at >= 0 && &name[0] == &h.src.text[at] {
		h.doc.Anchors = append(h.doc.Anchors, bodyString(name))
	} else {
		h.doc.Anchors = append(h.doc.Anchors, h.keep(name))
	}
	if h.spot.wanted {
		placeAnchor(h, string(name), at)
	}
	return true
}

// finishAnchors sorts the hashes. If a hash occurs more than once, it looks for duplicate
// ids.
func (h *harvest) finishAnchors() {
	slices.SortStableFunc(h.doc.Places, func(a, b AnchorPlace) int { return cmp.Or(a.Line-b.Line, a.Column-b.Column) })
	hashes := h.doc.AnchorHashes
	if len(h.anchors) == 0 && len(hashes) == 0 {
		return
	}
	for i := range h.anchors {
		hashes = append(hashes, h.anchors[i].hash)
	}
	slices.Sort(hashes)
	var twice []uint64
	for i := 1; i < len(hashes); i++ {
		if n := len(twice); hashes[i] == hashes[i-1] && (n == 0 || twice[n-1] != hashes[i]) {
			twice = append(twice, hashes[i])
		}
	}
	h.doc.AnchorHashes = slices.Compact(hashes)
	if len(twice) > 0 {
		h.findDuplicates(twice)
	}
}

// findDuplicates records the ids that more than one element has, each once. Each of the
// hashes belongs to several anchors.
func (h *harvest) findDuplicates(hashes []uint64) {
	type first struct {
		name    string
		doubled bool
	}
	seen := make(map[uint64]first, len(hashes))
	for i := range h.anchors {
		id := &h.anchors[i]
		if _, several := slices.BinarySearch(hashes, id.hash); !several || id.at < 0 {
			continue
		}
		name := h.doc.Anchors[i]
		f, known := seen[id.hash]
		switch {
		case !known:
			seen[id.hash] = first{name: name}
		case !f.doubled && f.name == name:
			seen[id.hash] = first{name, true}
			if h.bare {
				name = strings.Clone(name)
			}
			line, column := h.places.at(int(id.at))
			h.doc.Duplicates = append(h.doc.Duplicates, AnchorPlace{Name: name, Line: line, Column: column})
		}
	}
}
