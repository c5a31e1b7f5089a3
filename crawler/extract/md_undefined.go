package extract

import (
	"bytes"
	"strings"

	"github.com/agext/levenshtein"
	"github.com/yuin/goldmark/util"
)

// Markdown shows [text][label] and [^note] as they are if nothing defines the label. Most of them are
// meant so: rows of arrays, patterns, links of other dialects. One is a mistake only if
//
//	[text][label]   the document has such links with a definition, or the text has several words and
//	                the label is a word
//	[^note]         the document has other footnotes, or it is a number of up to three digits that
//	                follows a word
//
// and what is around it does not tell otherwise.

// maxUndefined is the number of undefined references of a document that are reported.
const maxUndefined = 1000

// undefined collects the references of a document that nothing defines.
type undefined struct {
	uses      []undefinedUse
	full      bool // some [text][label] has a definition
	fullDigit bool // and a label that is a number
}

type undefinedUse struct {
	at    span   // in the text of a block; in the document once the block was read
	label string // normalized; it begins with '^' for a footnote
	words bool   // the text has several words
	after bool   // it follows a word
}

// defined records a reference that has a definition.
func (u *undefined) defined(label []byte) {
	u.full = true
	u.fullDigit = u.fullDigit || isNumber(string(label))
}

// consider records what may be a reference without a definition: in b, the bracket that starts at
// start, and whose text is from the offset text to that of its closing bracket.
func (u *undefined) consider(b []byte, start, text, closing int) {
	if len(u.uses) == maxUndefined || start > 0 && (b[start-1] == ']' || b[start-1] == '[') {
		return
	}
	after := start > 0 && (isAlphanumeric(b[start-1]) || b[start-1] >= 0x80)
	if b[text] == '^' {
		if label := b[text:closing]; isPlainLabel(string(label[1:])) && !continues(b, closing+1, ":([*+?{]") {
			u.uses = append(u.uses, undefinedUse{at: span{start, closing + 1}, label: util.ToLinkReference(label), after: after})
		}
		return
	}
	if closing+1 >= len(b) || b[closing+1] != '[' || after {
		return
	}
	label, end := readLabel(b, closing+1)
	if end < 0 || continues(b, end, ":([") || len(bytes.TrimSpace(b[text:closing])) < 2 {
		return
	}
	if name := string(b[label.start:label.end]); isPlainLabel(name) && hasLetter(b[text:closing]) {
		u.uses = append(u.uses, undefinedUse{at: span{start, end}, label: util.ToLinkReference([]byte(name)), words: len(bytes.Fields(b[text:closing])) > 1})
	}
}

// locate moves the uses of a block, which are those from first on, to the places that they have in the
// document.
func (u *undefined) locate(v *view, first int) {
	for i := first; i < len(u.uses); i++ {
		at := &u.uses[i].at
		*at = span{v.source(at.start), v.source(at.end)}
	}
}

// report adds the references that are mistakes to the links. source is the document as the parser sees
// it. What looks like a definition anywhere counts as one, since dialects differ in where it may be.
func (u *undefined) report(h *harvest, source []byte) {
	if len(u.uses) == 0 {
		return
	}
	definitions, notes := looseDefinitions(source)
	suggested := 0
	for _, use := range u.uses {
		if definitions[use.label] || !u.isMistake(use, notes) {
			continue
		}
		if f := h.add(&h.src, use.at, nil); f != nil {
			f.Kind, f.Element, f.Attribute, f.Flaw = Navigation, "a", "href", &Flaw{flawUndefined, "readers see the brackets: nothing defines [" + use.label + "]"}
			if suggested++; suggested <= maxSuggested {
				f.Flaw.Cause += didYouMean(use.label, definitions, "[", "]")
			}
		}
	}
}

// isMistake reports whether the author meant a reference. notes is set if the document has footnotes.
func (u *undefined) isMistake(use undefinedUse, notes bool) bool {
	if note, ok := strings.CutPrefix(use.label, "^"); ok {
		return notes || use.after && isNumber(note) && len(note) <= 3
	}
	switch {
	case isNumber(use.label):
		return u.fullDigit
	case isDotted(use.label): // the name of code, which generators resolve
		return false
	}
	return u.full || use.words && !strings.Contains(use.label, " ")
}

// looseDefinitions returns what is in brackets that a colon follows, normalized, and whether there are
// footnotes among them.
func looseDefinitions(source []byte) (labels map[string]bool, notes bool) {
	labels = map[string]bool{}
	for i := 0; ; {
		n := bytes.Index(source[i:], []byte("]:"))
		if n < 0 {
			return labels, notes
		}
		end := i + n
		from := max(i, end-maxUndefinedLabel)
		if open := bytes.LastIndexByte(source[from:end], '['); open >= 0 {
			label := util.ToLinkReference(source[from+open+1 : end])
			labels[label] = true
			notes = notes || strings.HasPrefix(label, "^")
		}
		i = end + len("]:")
	}
}

// maxUndefinedLabel is the length in bytes of the longest label that is looked at here,
// maxNearLabels the number of labels among which a similar one is searched, and maxSuggested the
// number of references of a document for which it is.
const (
	maxUndefinedLabel = 100
	maxNearLabels     = 1000
	maxSuggested      = 20
)

// didYouMean returns the question whether a similar label was meant, "" if there is none. before and
// after are put around the label.
func didYouMean(label string, labels map[string]bool, before, after string) string {
	if near := nearestLabel(label, labels); near != "" {
		return ", did you mean " + before + near + after + "?"
	}
	return ""
}

// nearestLabel returns the only label that differs from another in one letter, or in two if it
// is not short, or "".
func nearestLabel(label string, labels map[string]bool) string {
	allowed := 1
	if len(label) >= 5 {
		allowed = 2
	}
	near := ""
	if len(labels) > maxNearLabels || len(label) < 4 {
		return ""
	}
	for other := range labels {
		if other[:min(1, len(other))] != label[:1] || len(other) < len(label)-allowed || len(other) > len(label)+allowed || levenshtein.Distance(label, other, nil) > allowed {
			continue
		}
		if near != "" {
			return ""
		}
		near = other
	}
	return near
}

// isPlainLabel reports whether a label consists of words, as those that authors make up do.
func isPlainLabel(label string) bool {
	if label == "" || len(label) > maxUndefinedLabel || label != strings.TrimSpace(label) {
		return false
	}
	for i, c := range label {
		switch {
		case c >= 0x80, c < 0x80 && isAlphanumeric(byte(c)):
		case i > 0 && strings.ContainsRune(" -_./", c):
		default:
			return false
		}
	}
	return true
}

// isDotted reports whether a label is words with dots between them.
func isDotted(label string) bool {
	return strings.Contains(label, ".") && !strings.Contains(label, " ")
}

func isNumber(label string) bool {
	return label != "" && strings.Trim(label, "0123456789") == ""
}

func hasLetter(b []byte) bool {
	return bytes.ContainsFunc(b, func(c rune) bool { return c >= 0x80 || isLetter(byte(c)) })
}

// continues reports whether one of the characters in next is at i.
func continues(b []byte, i int, next string) bool {
	return i < len(b) && strings.IndexByte(next, b[i]) >= 0
}
