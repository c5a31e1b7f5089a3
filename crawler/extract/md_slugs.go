package extract

import (
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// A slugger makes the anchors of headings. Which program will publish a document
// is not known, so a heading has every anchor that one of the common programs would give it:
//
//	GitHub, Docusaurus, Gitea, Hugo, Jekyll   the lower-case text, blanks as hyphens, punctuation dropped
//	GitLab                                    the same with runs of hyphens as one
//	mdBook                                    the same as GitHub's, of the text as it is, in ASCII lower case
//	Pandoc, kramdown                          from the first letter on; Pandoc keeps dots
//	MkDocs, Sphinx (python-markdown)          without accents, or with; hyphens and blanks as one hyphen
//	VuePress, VitePress                       punctuation as hyphens
//
// A heading whose anchor is taken gets a number behind it, counted from 1: with an
// underscore by python-markdown, with a hyphen by all others.
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

// heading tells the anchors of a heading, each once, GitHub's first.
func (s *slugger) heading(text string, note func(string)) {
	text = strings.TrimSpace(text)
	var told [len(slugStyles)]string
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
		for _, before := range told[:i] {
			known = known || before == slug
		}
		if told[i] = slug; !known {
			note(slug)
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

// squeeze makes one hyphen of each run of them.
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

// slugPandoc is auto_identifiers.
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

// slugPythonUnicode is its slugify_unicode, and that of pymdownx in lower case.
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

// vuePressSpecial are the characters that VuePress makes hyphens of, beside blanks
// and control characters.
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
