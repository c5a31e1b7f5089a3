package urinorm

import (
	"slices"
	"strings"
	"unicode"

	"github.com/orbweaver/orbweaver/urinorm/internal/idna"
)

// ShownHost returns a host as people read it: in Unicode, if the letters of each label are of one
// script; otherwise one letter may look like another, and the host is returned as it is. Han goes with
// the scripts of Japanese, Korean and Bopomofo (UTS 39, 5.1).
func ShownHost(host string) string {
	if !idna.HasALabel(host) {
		return host
	}
	shown := idna.ToUnicode(host)
	for label := range strings.SplitSeq(shown, ".") {
		if !isOneScript(label) {
			return host
		}
	}
	return shown
}

// written are the scripts that one language writes together.
var written = [][]string{{"Han", "Hiragana", "Katakana"}, {"Han", "Hangul"}, {"Han", "Bopomofo"}}

// isOneScript reports whether a label is ASCII, or its letters are of one script.
func isOneScript(label string) bool {
	var scripts []string
	ascii := true
	for _, r := range label {
		ascii = ascii && r < 0x80
		if name := scriptOf(r); name != "" && !slices.Contains(scripts, name) {
			scripts = append(scripts, name)
		}
	}
	if ascii || len(scripts) == 1 {
		return ascii || scripts[0] != "unknown"
	}
	return len(scripts) > 1 && slices.ContainsFunc(written, func(together []string) bool {
		return !slices.ContainsFunc(scripts, func(name string) bool { return !slices.Contains(together, name) })
	})
}

// scriptOf returns the script of a character, "" for one that several scripts use, and "unknown" for
// those of scripts that few hosts are written in. To name unicode.Scripts would make every program
// build that map when it starts.
func scriptOf(r rune) string {
	for _, script := range [...]struct {
		name  string
		table *unicode.RangeTable
	}{
		{"", unicode.Common}, {"", unicode.Inherited}, {"Latin", unicode.Latin}, {"Cyrillic", unicode.Cyrillic}, {"Greek", unicode.Greek},
		{"Han", unicode.Han}, {"Hiragana", unicode.Hiragana}, {"Katakana", unicode.Katakana}, {"Hangul", unicode.Hangul}, {"Bopomofo", unicode.Bopomofo},
		{"Arabic", unicode.Arabic}, {"Hebrew", unicode.Hebrew}, {"Armenian", unicode.Armenian}, {"Georgian", unicode.Georgian}, {"Ethiopic", unicode.Ethiopic},
		{"Devanagari", unicode.Devanagari}, {"Bengali", unicode.Bengali}, {"Gujarati", unicode.Gujarati}, {"Gurmukhi", unicode.Gurmukhi}, {"Kannada", unicode.Kannada},
		{"Malayalam", unicode.Malayalam}, {"Oriya", unicode.Oriya}, {"Sinhala", unicode.Sinhala}, {"Tamil", unicode.Tamil}, {"Telugu", unicode.Telugu},
		{"Thai", unicode.Thai}, {"Lao", unicode.Lao}, {"Khmer", unicode.Khmer}, {"Myanmar", unicode.Myanmar}, {"Tibetan", unicode.Tibetan}, {"Mongolian", unicode.Mongolian},
	} {
		if unicode.Is(script.table, r) {
			return script.name
		}
	}
	return "unknown"
}
