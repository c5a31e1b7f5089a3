package report

import (
	"fmt"
	"strings"
)

// gmlString returns a GML string. Quotes, ampersands and characters that are not
// printable ASCII are character references.
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

// dotString returns a double-quoted string of Graphviz. In labels and links Graphviz
// interprets backslashes and HTML character references, so both are escaped too.
func dotString(s string) string { return `"` + dotEscapes.Replace(clip(visible(s), dotMost)) + `"` }

var dotEscapes = strings.NewReplacer(`"`, `\"`, `\`, `\\`, "&", "&amp;")

const (
	dotLabel = 60   // maximum characters of a label
	dotMost  = 2000 // maximum characters of other strings; Graphviz accepts 16 KiB including escapes
)
