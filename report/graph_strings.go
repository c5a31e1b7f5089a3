package report

import (
	"fmt"
	"strings"
)

// gmlString writes a string of GML: what is not printable ASCII, quotes and
// ampersands are character references.
func gmlString(s string) string {
	b := []byte{'"'}
	for i, r := range s {
		if r < ' ' || r >= 0x7F || r == '"' || r == '&' || r == '#' && isCommand(s[i+1:]) {
			b = fmt.Appendf(b, "&#%d;", r)
			continue
		}
		b = append(b, byte(r))
	}
	return string(append(b, '"'))
}

// dotString writes a double-quoted string. Within labels and links Graphviz obeys
// backslashes and reads HTML's character references, so both are escaped too.
func dotString(s string) string { return `"` + dotEscapes.Replace(clip(visible(s), dotMost)) + `"` }

var dotEscapes = strings.NewReplacer(`"`, `\"`, `\`, `\\`, "&", "&amp;")

const (
	dotLabel = 60   // characters of a label
	dotMost  = 2000 // characters of other strings; Graphviz takes 16 KiB, escapes included
)
