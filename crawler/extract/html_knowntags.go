package extract

import (
	"bytes"
	"hash/maphash"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/internal/htmltoken"
)

// The pages of a site start alike: they all refer to the same style sheets, icons and scripts
// with identical markup. The result of reading a link, meta or script tag is stored from page
// to page under the tag's source, and is not computed again. Only tags are stored that yield
// at most one link and nothing that depends on the rest of the document.

// A knownTag is the result of reading a start tag.
type knownTag struct {
	source   string
	lastUsed int  // number of the last document that contains it
	link     Link // without its position
	at       int  // offset in source of the link's Raw, 0 without a link
	id       span // in source
	script   bool
	code     bool // a script that may create anchors
}

// knownTags finds tags by the hash of their source. Each set holds two. The memory is bounded
// by the number of sets and the length of a source.
type knownTags struct {
	sets [256][2]*knownTag
	// seen holds the hashes of tags that were not known. A tag is stored when it occurs a
	// second time, because many meta elements occur on only one page.
	seen      [4096]uint32
	documents int // number of documents read
}

func (x *knownTags) find(source []byte, hash uint64) *knownTag {
	for _, k := range x.sets[hash%uint64(len(x.sets))] {
		if k != nil && k.source == string(source) {
			k.lastUsed = x.documents
			return k
		}
	}
	return nil
}

// freeSlot returns the slot in which to store an unknown tag. It returns nil if both tags of
// the set are in use, or if this tag was not seen before.
func (x *knownTags) freeSlot(hash uint64) **knownTag {
	if seen := &x.seen[hash>>32%uint64(len(x.seen))]; *seen != uint32(hash) {
		*seen = uint32(hash)
		return nil
	}
	set := &x.sets[hash%uint64(len(x.sets))]
	for i, k := range set {
		if k == nil || x.documents-k.lastUsed > knownTagLifetime {
			return &set[i]
		}
	}
	return nil
}

const (
	maxKnownTagLength = 256 // bytes
	knownTagLifetime  = 8   // documents without the tag before it is dropped
)

// knownTagSource returns the start tag at doc[pos:] and its hash if it is a tag that may be
// known.
func knownTagSource(doc []byte, pos int) (source []byte, hash uint64) {
	if !hasAt(doc, pos, skimWindow) {
		return nil, 0
	}
	switch wordAt(doc, pos) & (1<<32 - 1) {
	case '<' | 'l'<<8 | 'i'<<16 | 'n'<<24, '<' | 'm'<<8 | 'e'<<16 | 't'<<24, '<' | 's'<<8 | 'c'<<16 | 'r'<<24:
	default:
		return nil, 0
	}
	doc = doc[pos:min(len(doc), pos+maxKnownTagLength)]
	n := bytes.IndexByte(doc, '>')
	if n < 0 {
		return nil, 0
	}
	return doc[:n+1], maphash.Bytes(seed, doc[:n+1])
}

// canReuseTags reports whether the meaning of a tag here does not depend on its context.
func (r *htmlReader) canReuseTags() bool {
	return r.known != nil && r.attributes.want && !r.xml && r.inOrdinaryContext() && r.ignore.to == 0
}

// knownTags reads tags that are known, including the white space before them, and reports
// whether there were any.
func (r *htmlReader) knownTags() (any bool) {
	t := &r.tokens
	if r.link.first < r.link.end || !r.canReuseTags() {
		return false
	}
	for ; r.content == contentShown; any = true {
		t.end = skipSpace(t.doc, t.end)
		k := r.known.find(knownTagSource(t.doc, t.end))
		if k == nil || k.at > 0 && r.full() {
			break
		}
		r.knownTag(k, t.end)
	}
	return any
}

// knownTag reads the known tag at start, and the end tag of an empty script.
func (r *htmlReader) knownTag(k *knownTag, start int) {
	t := &r.tokens
	t.end = start + len(k.source)
	if k.id.start > 0 {
		r.attributes.anchorOf(span{start + k.id.start, start + k.id.end})
	}
	if k.at > 0 {
		f := r.newLink()
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
		t.z.Enter(htmltoken.Script)
		r.content = contentHidden
	}
}

// rememberTag stores the result of reading the current start tag. Its links are those from
// first on.
func (r *htmlReader) rememberTag(first int) {
	t := &r.tokens.tag
	role := t.element.role
	switch {
	case role != roleLink && role != roleMeta && role != roleScript, !r.canReuseTags(), t.ignored,
		len(r.links) > first+1, r.full(),
		// These affect the document or the text that follows.
		role == roleLink && hasToken(t.get(attrRel), "canonical"),
		role == roleMeta && equalFold(trimSpace(t.get(attrName)), "robots"),
		role == roleScript && r.content != contentHidden:
		return
	}
	source, hash := knownTagSource(t.doc, t.start)
	if t.start+len(source) != r.tokens.end {
		return // not a tag to be stored, or a value contains '>'
	}
	room := r.known.freeSlot(hash)
	if room == nil {
		return
	}
	k := &knownTag{source: string(source), script: role == roleScript}
	k.lastUsed = r.known.documents
	k.code = k.script && scriptKind(t) == scriptCode
	if t.has(attrID) {
		id := t.span(attrID)
		k.id = span{id.start - t.start, id.end - t.start}
	}
	if first < len(r.links) {
		k.link = r.links[first]
		k.link.Repeats, k.link.Tag = 0, 0 // they belong to that document
		k.at = int(k.link.at) - t.start
		k.link.Raw, k.link.Ref, k.link.Text = strings.Clone(k.link.Raw), strings.Clone(k.link.Ref), string(r.attributes.description())
	}
	*room = k
}
