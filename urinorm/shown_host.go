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
		return true
	}
	return len(scripts) > 1 && slices.ContainsFunc(written, func(together []string) bool {
		return !slices.ContainsFunc(scripts, func(name string) bool { return !slices.Contains(together, name) })
	})
}

// scriptOf returns the script of a character, "" for one that several scripts use.
func scriptOf(r rune) string {
	if unicode.In(r, unicode.Common, unicode.Inherited) {
		return ""
	}
	for name, table := range unicode.Scripts {
		if unicode.Is(table, r) {
			return name
		}
	}
	return "unknown"
}
