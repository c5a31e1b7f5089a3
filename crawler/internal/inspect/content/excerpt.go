package content

import (
	"strings"
	"unicode/utf8"

	"github.com/orbweaver/orbweaver/crawler/internal/inspect/visible"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
)

// maxRaw is the length of the longest source text in a finding, in code points.
const maxRaw = 200

// cut returns at most maxRaw code points of a source text.
func cut(source []byte) string { return string(source[:forward(source, 0, maxRaw)]) }

// excerpt returns text[begin:end] with what is around, as long as a finding may have it. White
// space runs become one blank.
func excerpt(text []byte, begin, end int) string {
	match := utf8.RuneCount(text[begin:forward(text[:end], begin, judging.ExcerptLength)])
	around := judging.ExcerptLength - match
	from := backward(text, begin, around/2)
	before := utf8.RuneCount(text[from:begin])
	to := forward(text, begin, match+around-before)
	if rest := judging.ExcerptLength - utf8.RuneCount(text[from:to]); rest > 0 {
		from = backward(text, from, rest) // the text ends soon
	}
	return strings.TrimSpace(visible.Collapse(string(text[from:to])))
}

// forward returns the index n code points behind i, at most the length of text.
func forward(text []byte, i, n int) int {
	for ; n > 0 && i < len(text); n-- {
		_, size := utf8.DecodeRune(text[i:])
		i += size
	}
	return i
}

// backward returns the index n code points before i, at least 0.
func backward(text []byte, i, n int) int {
	for ; n > 0 && i > 0; n-- {
		_, size := utf8.DecodeLastRune(text[:i])
		i -= size
	}
	return i
}
