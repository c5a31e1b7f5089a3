package extract

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// A slugger makes the anchors of headings. If the program that will publish a document is
// unknown, a heading gets the anchors of all common programs:
//
//	GitHub, Docusaurus, Gitea, Hugo, Jekyll   the lower-case text, spaces as hyphens, punctuation dropped
//	GitLab                                    like GitHub, with each run of hyphens as one
//	mdBook                                    like GitHub, with only ASCII letters in lower case
//	Pandoc, kramdown                          from the first letter on; Pandoc keeps dots
//	MkDocs, Sphinx (python-markdown)          without accents, or with; runs of hyphens and spaces as one hyphen
//	VuePress, VitePress                       punctuation as hyphens
//
// If an anchor is taken, a number is appended to it, starting with 1: after an
// underscore in python-markdown, after a hyphen in all others.
type slugger struct {
	by    publisher
	taken [len(slugStyles)]map[string]int
}

type slugStyle struct {
	make      func(text string) string
	separator string
}

var slugStyles = [...]slugStyle{
	likeGitHub:        {slugGitHub, "-"},
	likeGitLab:        {slugGitLab, "-"},
	likeMdBook:        {slugMdBook, "-"},
	likePandoc:        {slugPandoc, "-"},
	likeKramdown:      {slugKramdown, "-"},
	likePython:        {slugPython, "_"},
	likePythonUnicode: {slugPythonUnicode, "_"},
	likeVuePress:      {slugVuePress, "-"},
}

// newSlugger returns what makes the anchors of the headings of a document.
func newSlugger(in *Input) slugger {
	rule, alone := in.Options.Anchors, in.Options.Anchors != 0
	if !alone && in.Publisher != nil && in.Path != "" {
		rule = in.Publisher(in.Path)
	}
	r := &anchorRules[rule]
	return slugger{by: publisher{style: r.style, known: rule != 0, alone: alone, plain: alone && r.plain}}
}

// publisher is what is known of the program that publishes a document.
type publisher struct {
	style int
	known bool // links should have the anchors that it makes
	alone bool // anchors that others make do not exist
	plain bool // {#id} in a heading is text, not its anchor
}

// addTo adds the anchors of a heading. Those that no link should have are not in Document.Anchors.
func (s *slugger) addTo(h *harvest, text string) {
	s.eachAnchor(text, func(slug string, named bool) {
		if named {
			h.anchor([]byte(slug))
		} else if len(h.doc.AnchorHashes) < maxAnchors {
			h.doc.AnchorHashes = append(h.doc.AnchorHashes, HashAnchor([]byte(slug)))
		}
	})
}

// eachAnchor calls yield once for each anchor of a heading, GitHub's first. named reports whether a
// link should have it: it does not if the program that publishes the document is known and gives the
// heading another one.
func (s *slugger) eachAnchor(text string, yield func(slug string, named bool)) {
	text = strings.TrimSpace(text)
	var yielded [len(slugStyles)]string
	own := ""
	for i, style := range slugStyles {
		if s.by.alone && i != s.by.style {
			continue
		}
		slug := style.make(text)
		if slug == "" {
			continue
		}
		if s.taken[i] == nil {
			s.taken[i] = map[string]int{}
		}
		n := s.taken[i][slug]
		s.taken[i][slug] = n + 1
		if n > 0 {
			slug += style.separator + strconv.Itoa(n)
		}
		if yielded[i] = slug; i == s.by.style {
			own = slug
		}
	}
	for i, slug := range yielded {
		if slug != "" && !slices.Contains(yielded[:i], slug) {
			yield(slug, !s.by.known || own == "" || slug == own)
		}
	}
}

func isWordRune(r rune) bool {
	return unicode.In(r, unicode.L, unicode.M, unicode.Nd, unicode.Nl, unicode.Pc)
}

func slugGitHub(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || isWordRune(r):
			return r
		}
		return -1
	}, strings.ToLower(text))
}

func slugGitLab(text string) string {
	slug := squeeze(slugGitHub(text))
	if _, err := strconv.ParseUint(slug, 10, 64); err == nil {
		return "anchor-" + slug
	}
	return slug
}

// squeeze replaces each run of hyphens with one hyphen.
func squeeze(s string) string {
	last := rune(0)
	return strings.Map(func(r rune) rune {
		repeated := r == '-' && last == '-'
		if last = r; repeated {
			return -1
		}
		return r
	}, s)
}

func slugMdBook(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return '-'
		case 'A' <= r && r <= 'Z':
			return r + 'a' - 'A'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r):
			return r
		}
		return -1
	}, text)
}

// slugPandoc is Pandoc's auto_identifiers.
func slugPandoc(text string) string {
	slug := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == '-' || r == '_' || r == '.' || unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r):
			return r
		}
		return -1
	}, strings.ToLower(text))
	slug = strings.Join(strings.Fields(slug), "-")
	return orSection(strings.TrimLeftFunc(slug, func(r rune) bool { return !unicode.IsLetter(r) }))
}

func slugKramdown(text string) string {
	isASCIILetter := func(r rune) bool { return 'a' <= r|0x20 && r|0x20 <= 'z' }
	text = strings.TrimLeftFunc(text, func(r rune) bool { return !isASCIILetter(r) })
	return orSection(strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case isASCIILetter(r):
			return unicode.ToLower(r)
		case r == '-' || '0' <= r && r <= '9':
			return r
		}
		return -1
	}, text))
}

func orSection(slug string) string {
	if slug == "" {
		return "section"
	}
	return slug
}

// slugPython is python-markdown's slugify.
func slugPython(text string) string {
	return slugPythonUnicode(strings.Map(func(r rune) rune {
		if r > unicode.MaxASCII {
			return -1
		}
		return r
	}, norm.NFKD.String(text)))
}

// slugPythonUnicode is python-markdown's slugify_unicode, and pymdownx's slugify in
// lower case.
func slugPythonUnicode(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '-' || unicode.IsSpace(r):
			return r
		case r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r):
			return r
		}
		return -1
	}, norm.NFKC.String(text))
	text = strings.ToLower(strings.TrimSpace(text))
	return squeeze(strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return '-'
		}
		return r
	}, text))
}

// vuePressSpecial lists the characters that VuePress replaces with hyphens, in addition
// to white space.
const vuePressSpecial = "~`!@#$%^&*()-_+=[]{}|\\;:\"'“”‘’<>,.?/"

func slugVuePress(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Mn, r) && 0x300 <= r && r <= 0x36F:
			return -1
		case unicode.IsControl(r) && !unicode.IsSpace(r):
			return -1
		case unicode.IsSpace(r) || strings.ContainsRune(vuePressSpecial, r):
			return '-'
		}
		return r
	}, norm.NFKD.String(text))
	text = strings.Trim(squeeze(text), "-")
	if text != "" && '0' <= text[0] && text[0] <= '9' {
		text = "_" + text
	}
	return strings.ToLower(text)
}
