package extract

import (
	"bytes"
	"hash/maphash"
	"strings"
)

// The pages of a site begin alike: one after the other they name the same style sheets,
// icons and scripts, to the letter. What the start tag of a link, a meta or a script
// element came to is remembered from page to page, by its source, and is not read
// again. Tags are remembered that come to one link at most, and to nothing that hangs
// on what else the document says.

// A knownTag is what a start tag comes to.
type knownTag struct {
	source string
	used   int  // in which document, the last time
	link   Link // but for its place
	at     int  // where in source the link's Raw begins, 0 without a link
	id     span // in source
	script bool
	code   bool // of a script: it may make anchors
}

// knownTags finds tags by the hash of their source, two of a set. It is bounded by its
// sets and by how long a source may be.
type knownTags struct {
	sets [256][2]*knownTag
	// seen has the hashes of tags that were not known. They are remembered when they come the
	// second time: many pages say of themselves in a meta element what no other says.
	seen      [4096]uint32
	documents int // that were read
}

func (x *knownTags) find(source []byte, hash uint64) *knownTag {
	for _, k := range x.sets[hash%uint64(len(x.sets))] {
		if k != nil && k.source == string(source) {
			k.used = x.documents
			return k
		}
	}
	return nil
}

// room returns where a tag may be remembered that is not known; nil where those stay
// that are in use, or when the tag was not seen before.
func (x *knownTags) room(hash uint64) **knownTag {
	if seen := &x.seen[hash>>32%uint64(len(x.seen))]; *seen != uint32(hash) {
		*seen = uint32(hash)
		return nil
	}
	set := &x.sets[hash%uint64(len(x.sets))]
	for i, k := range set {
		if k == nil || x.documents-k.used > knownTagStays {
			return &set[i]
		}
	}
	return nil
}

const (
	longestKnownTag = 256 // bytes
	knownTagStays   = 8   // for so many documents that it is not in
)

// sourceOfTag is the start tag at doc[pos:] when it is one that may be known, and its hash.
func sourceOfTag(doc []byte, pos int) (source []byte, hash uint64) {
	if !hasAt(doc, pos, glance) {
		return nil, 0
	}
	switch wordAt(doc, pos) & (1<<32 - 1) {
	case '<' | 'l'<<8 | 'i'<<16 | 'n'<<24, '<' | 'm'<<8 | 'e'<<16 | 't'<<24, '<' | 's'<<8 | 'c'<<16 | 'r'<<24:
	default:
		return nil, 0
	}
	doc = doc[pos:min(len(doc), pos+longestKnownTag)]
	n := bytes.IndexByte(doc, '>')
	if n < 0 {
		return nil, 0
	}
	return doc[:n+1], maphash.Bytes(seed, doc[:n+1])
}

// remembers reports whether such a tag means here what it means anywhere.
func (r *htmlReader) remembers() bool {
	return r.known != nil && r.attributes.want && !r.xml && r.inPlain() && r.ignore.to == 0
}

// knownTags reads tags that are known, with the white space before them, and reports
// whether there were any.
func (r *htmlReader) knownTags() (any bool) {
	t := &r.tokens
	if r.link.first < r.link.end || !r.remembers() {
		return false
	}
	for ; r.content == contentShown; any = true {
		t.end = skipSpace(t.doc, t.end)
		k := r.known.find(sourceOfTag(t.doc, t.end))
		if k == nil || k.at > 0 && r.full() {
			break
		}
		r.knownTag(k, t.end)
	}
	return any
}

// knownTag reads the tag at start, which is known, and the end tag of an empty script.
func (r *htmlReader) knownTag(k *knownTag, start int) {
	t := &r.tokens
	t.end = start + len(k.source)
	if k.id.start > 0 {
		r.attributes.anchorOf(span{start + k.id.start, start + k.id.end})
	}
	if k.at > 0 {
		f := r.another()
		*f = k.link
		f.at, f.tag = int32(start+k.at), int32(start)
		if r.bare {
			f.Tag, f.Line, f.Column, f.Text = f.tag+1, 0, 0, ""
		} else {
			r.place(f)
		}
	}
	if !k.script {
		return
	}
	if k.code && !r.open.noscript {
		r.doc.Static = false
	}
	if end := "</script>"; bytes.HasPrefix(t.doc[t.end:], []byte(end)) {
		t.end += len(end)
	} else {
		t.textTag, r.content = "script", contentHidden
	}
}

// remember notes what the start tag came to that was just read, with the links from
// first on.
func (r *htmlReader) remember(first int) {
	t := &r.tokens.tag
	role := t.element.role
	switch {
	case role != roleLink && role != roleMeta && role != roleScript, !r.remembers(), t.ignored,
		len(r.links) > first+1, r.full(),
		// These say something of the document, or of the text that follows.
		role == roleLink && hasToken(t.get(attrRel), "canonical"),
		role == roleMeta && equalFold(trimSpace(t.get(attrName)), "robots"),
		role == roleScript && r.content != contentHidden:
		return
	}
	source, hash := sourceOfTag(t.doc, t.start)
	if t.start+len(source) != r.tokens.end {
		return // it is none that may be known, or a '>' stands in a value
	}
	room := r.known.room(hash)
	if room == nil {
		return
	}
	k := &knownTag{source: string(source), script: role == roleScript}
	k.used = r.known.documents
	k.code = k.script && scriptKind(t) == scriptCode
	if t.has(attrID) {
		id := t.span(attrID)
		k.id = span{id.start - t.start, id.end - t.start}
	}
	if first < len(r.links) {
		k.link = r.links[first]
		k.link.Repeats, k.link.Tag = 0, 0 // of that document
		k.at = int(k.link.at) - t.start
		k.link.Raw, k.link.Ref, k.link.Text = strings.Clone(k.link.Raw), strings.Clone(k.link.Ref), string(r.attributes.description())
	}
	*room = k
}
