package extract

import (
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// A slugger makes the anchors of headings. The program that will publish a document is
// unknown, so a heading gets the anchors of all common programs:
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
	taken [len(slugStyles)]map[string]int
}

type slugStyle struct {
	make      func(text string) string
	separator string
}

var slugStyles = [...]slugStyle{
	{slugGitHub, "-"},
	{slugGitLab, "-"},
	{slugMdBook, "-"},
	{slugPandoc, "-"},
	{slugKramdown, "-"},
	{slugPython, "_"},
	{slugPythonUnicode, "_"},
	{slugVuePress, "-"},
}

// eachAnchor calls yield once for each anchor of a heading, GitHub's first.
func (s *slugger) eachAnchor(text string, yield func(string)) {
	text = strings.TrimSpace(text)
	var yielded [len(slugStyles)]string
	for i, style := range slugStyles {
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
		known := false
		for _, before := range yielded[:i] {
			known = known || before == slug
		}
		if yielded[i] = slug; !known {
			yield(slug)
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
