package extract

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
)

// Selecting links by the elements around them needs a tree, but the tree built by html.Parse
// records no positions. Therefore each start tag that has links gets a private attribute with
// its number, in a copy of the document. The copy is parsed, and the numbers found inside an
// element identify its links. This costs a parse, and is done only if a selector is given or
// an element has an inline mark.

// selection is what applies to one start tag.
type selection struct{ selected, ignored, marked bool }

// applySelectors drops the links that Select and IgnoreSelect exclude, and marks links inside
// an element with ignoreAttribute as ignored.
func (h *harvest) applySelectors(in *Input) {
	tags := make([]int32, 0, len(h.links))
	for i := range h.links {
		if n := len(tags); !h.links[i].has(flawMalformed) && (n == 0 || tags[n-1] != h.links[i].tag) {
			tags = append(tags, h.links[i].tag)
		}
	}
	if len(tags) == 0 {
		return
	}
	numbered, name := numberTags(h.src.text, tags)
	// With scripting disabled, the content of noscript is parsed as markup, as in the reader.
	root, err := html.ParseWithOptions(bytes.NewReader(numbered), html.ParseOptionEnableScripting(false))
	if err != nil {
		h.fault("apply selectors: %v; no links are excluded", err)
		return
	}
	where := locateTags(root, in, name, len(tags))
	kept := h.links[:0]
	places := make([]int, len(h.links)) // one more than the index in kept, 0 for a dropped link
	n := 0
	for i := range h.links {
		f := &h.links[i]
		whole := f.has(flawMalformed) // is about the document, not in an element
		if !whole && tags[n] != f.tag {
			n++
		}
		f.Ignored = f.Ignored || !whole && where[n].marked
		if whole || (in.Select.IsZero() || where[n].selected) && !where[n].ignored {
			if f.Repeats > 0 {
				f.Repeats = places[f.Repeats-1]
			}
			kept = append(kept, *f)
			places[i] = len(kept)
		}
	}
	h.doc.Unselected += len(h.links) - len(kept)
	h.links = kept
}

// numberTags returns a copy of a document in which each start tag at one of the given
// offsets, which must be in ascending order, has an attribute with its number. The attribute
// has a random name, which no document can contain on purpose.
func numberTags(doc []byte, tags []int32) (numbered []byte, name string) {
	name = "data-orbweaver-" + strconv.FormatUint(rand.Uint64(), 36)
	numbered = make([]byte, 0, len(doc)+len(tags)*(len(name)+len(` ="123456"`)))
	last := 0
	for i, tag := range tags {
		behind := int(tag) + tagName(doc[tag:]).end
		numbered = append(numbered, doc[last:behind]...)
		numbered = append(numbered, ' ')
		numbered = append(numbered, name...)
		numbered = append(numbered, `="`...)
		numbered = strconv.AppendInt(numbered, int64(i), 10)
		numbered = append(numbered, '"')
		last = behind
	}
	return append(numbered, doc[last:]...), name
}

// locateTags walks the tree and reports what applies to each numbered tag. The parser may
// insert a tag several times; a match of any of these nodes counts.
func locateTags(root *html.Node, in *Input, name string, tags int) []selection {
	doc := goquery.NewDocumentFromNode(root)
	find := func(s Selector) map[*html.Node]bool {
		nodes := map[*html.Node]bool{}
		if !s.IsZero() {
			for _, n := range doc.FindMatcher(s.matcher).Nodes {
				nodes[n] = true
			}
		}
		return nodes
	}
	selected, ignored := find(in.Select), find(in.IgnoreSelect)
	where := make([]selection, tags)
	var walk func(n *html.Node, inside selection)
	walk = func(n *html.Node, inside selection) {
		if n.Type == html.ElementNode {
			inside.selected = inside.selected || selected[n]
			inside.ignored = inside.ignored || ignored[n]
			inside.marked = inside.marked || slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return isIgnoreMark(a.Key) })
			for _, a := range n.Attr {
				if a.Key != name {
					continue
				}
				if i, err := strconv.Atoi(a.Val); err == nil && i < tags {
					w := &where[i]
					w.selected = w.selected || inside.selected
					w.ignored = w.ignored || inside.ignored
					w.marked = w.marked || inside.marked
				}
			}
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c, inside) // html.Parse limits the depth to 512
		}
	}
	walk(root, selection{})
	return where
}
