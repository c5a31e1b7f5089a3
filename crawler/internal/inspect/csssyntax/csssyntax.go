// Package csssyntax finds the syntax errors of style sheets and style attributes.
//
// A Checker follows section 5 of CSS Syntax Module Level 3 as far as an error depends on it:
// brackets that are open, and the rule or declaration that a token belongs to. It does all that
// in one pass, without a tree and without allocation. Names, properties, selectors and values
// are not judged, so nothing that is newer than this package, nor the dialect of a build tool,
// nor an old hack such as *zoom:1, is an error as long as browsers find the end of it.
package csssyntax

import (
	"unicode/utf8"

	"github.com/orbweaver/orbweaver/crawler/internal/csstoken"
)

// The rules of the css-syntax code.
const (
	BadString        = "bad-string"        // a line break in a string
	BadURL           = "bad-url"           // a url() without quotation marks that needs them
	UnclosedBlock    = "unclosed-block"    // a {, (, [ or function without its end
	UnclosedComment  = "unclosed-comment"  // a comment that lasts to the end
	UnclosedString   = "unclosed-string"   // a string that lasts to the end
	UnclosedURL      = "unclosed-url"      // a url() without quotation marks that lasts to the end
	UnmatchedBracket = "unmatched-bracket" // a }, ) or ] that closes nothing
	MissingColon     = "missing-colon"     // a declaration whose name is not followed by a colon
	MissingValue     = "missing-value"     // a declaration with nothing behind its colon
)

// Fault is a syntax error.
type Fault struct {
	Rule string
	// Offset is where the construct begins. The source text from there to End shows the
	// error, and is cut off after 200 bytes.
	Offset, End int
	Message     string // lower case, without a full stop
}

// maxSource is the length of the longest source text of a Fault.
const maxSource = 200

// maxDepth is the number of open brackets that are tracked. Deeper ones are only counted, and
// what is inside is not judged.
const maxDepth = 512

// A Checker checks style sheets one after the other. The zero value is ready for use. It must
// not be used by several goroutines at the same time.
type Checker struct {
	src    []byte
	tokens csstoken.Tokenizer
	faults []Fault // that were noticed, and not reported yet

	open   []bracket
	braces int // the number of braces in open
	deeper int // open brackets beyond maxDepth

	// inItems says that tokens belong to the current item: a rule or a declaration. In
	// parentheses, and in a block that is a value, they do not.
	inItems bool
	// mayDeclare says that an item may be a declaration.
	mayDeclare bool
	listOnly   bool // the text is a list of declarations
	item       item
	itemStart  int
	nameEnd    int // the end of the first token of the item
}

// A bracket is a construct that a closing bracket will end.
type bracket struct {
	start, end int // of the opening token; that of a function has its name
	kind       bracketKind
}

type bracketKind uint8

const (
	parenthesis bracketKind = iota
	function
	square
	block      // { of a rule: items
	valueBlock // { of a value
)

// Sheet reports the faults of a style sheet or of the content of a style element, which is
// valid UTF-8. Faults come in the order in which they are noticed: constructs without an end
// come last.
func (c *Checker) Sheet(css []byte, report func(Fault)) { c.check(css, false, report) }

// Declarations reports the faults of a style attribute's value.
func (c *Checker) Declarations(css []byte, report func(Fault)) { c.check(css, true, report) }

func (c *Checker) check(css []byte, listOnly bool, report func(Fault)) {
	*c = Checker{src: css, faults: c.faults[:0], open: c.open[:0], inItems: true, mayDeclare: listOnly, listOnly: listOnly}
	c.tokens.Reset(css)
	for c.tokens.Next() {
		c.read(&c.tokens.Token)
		c.hand(report)
	}
	if listOnly && len(c.open) == 0 {
		c.endItem(len(css))
	}
	for _, b := range c.open {
		c.unclosed(b)
	}
	c.hand(report)
	c.src = nil
	c.tokens.Reset(nil)
}

// hand reports the faults that were noticed.
func (c *Checker) hand(report func(Fault)) {
	for _, f := range c.faults {
		report(f)
	}
	c.faults = c.faults[:0]
}

// read takes a token.
func (c *Checker) read(t *csstoken.Token) {
	switch t.Kind {
	case csstoken.Function:
		c.token(t)
		c.push(t, function)
	case csstoken.OpenParenthesis:
		c.token(t)
		c.push(t, parenthesis)
	case csstoken.OpenSquare:
		c.token(t)
		c.push(t, square)
	case csstoken.OpenBrace:
		c.openBrace(t)
	case csstoken.CloseBrace:
		c.closeBrace(t)
	case csstoken.CloseParenthesis, csstoken.CloseSquare:
		c.closeBracket(t)
	case csstoken.Semicolon:
		if c.inItems {
			c.endItem(t.Start)
		}
	case csstoken.HTMLMark: // ignored between the rules of a sheet
		if len(c.open) > 0 || c.listOnly || c.item != itemEmpty {
			c.token(t)
		}
	case csstoken.Comment:
		c.fault(UnclosedComment, t.Start, t.End, "the comment is not closed")
	case csstoken.URL:
		c.token(t)
		if t.Unclosed {
			c.fault(UnclosedURL, t.Start, t.End, "the parenthesis of url() is not closed")
		}
	case csstoken.BadURL:
		c.token(t)
		c.fault(BadURL, t.Start, t.End, whyBad(c.src[t.ValueEnd]))
	case csstoken.String:
		c.token(t)
		if t.Unclosed {
			c.fault(UnclosedString, t.Start, t.End, "the string is not closed")
		}
	case csstoken.BadString:
		c.token(t)
		c.fault(BadString, t.Start, t.End, "the string is not closed on its line")
	default:
		c.token(t)
	}
}

// whyBad says what is wrong with a URL that has a byte without quotation marks around it.
func whyBad(b byte) string {
	switch b {
	case ' ', '\t', '\n', '\r', '\f':
		return "white space in a URL without quotation marks"
	case '"', '\'':
		return "a quotation mark within a URL"
	case '(':
		return "a parenthesis in a URL without quotation marks"
	case '\\':
		return "a backslash before a line break in a URL"
	}
	return "a control character in a URL without quotation marks"
}

func (c *Checker) fault(rule string, start, end int, message string) {
	if end-start > maxSource {
		end = start + maxSource
		for !utf8.RuneStart(c.src[end]) {
			end--
		}
	}
	c.faults = append(c.faults, Fault{rule, start, end, message})
}

func (c *Checker) unclosed(b bracket) {
	c.fault(UnclosedBlock, b.start, b.end, [...]string{
		parenthesis: "the parenthesis is not closed",
		function:    "the parenthesis of the function is not closed",
		square:      "the square bracket is not closed",
		block:       "the block is not closed",
		valueBlock:  "the block is not closed",
	}[b.kind])
}

// push opens the bracket of a token.
func (c *Checker) push(t *csstoken.Token, kind bracketKind) {
	if len(c.open) == maxDepth {
		c.deeper++
		c.inItems = false
		return
	}
	c.open = append(c.open, bracket{t.Start, t.End, kind})
	if kind >= block {
		c.braces++
	}
	c.inItems = kind == block
	c.mayDeclare = true
}

// pop closes the innermost bracket.
func (c *Checker) pop() {
	if c.deeper > 0 {
		c.deeper--
	} else {
		n := len(c.open) - 1
		if c.open[n].kind >= block {
			c.braces--
		}
		c.open = c.open[:n]
	}
	n := len(c.open)
	c.inItems = c.deeper == 0 && (n == 0 || c.open[n-1].kind == block)
	c.mayDeclare = n > 0 || c.listOnly
}

// openBrace reads a {. In an item, it begins the block of a rule, unless the item is a custom
// property or has nothing that could be the prelude of a rule. Behind a colon, nothing of the
// item is judged: width:{{ template }}px is best left to whoever fills in the template.
func (c *Checker) openBrace(t *csstoken.Token) {
	switch {
	case !c.inItems || c.item == itemEmpty || c.item == itemCustom:
		c.push(t, valueBlock)
	case c.item == itemColon:
		c.item = itemOther
		c.push(t, valueBlock)
	default:
		c.item = itemEmpty
		c.push(t, block)
	}
}

// closeBrace reads a }. It closes the innermost block, and with it whatever was left open in
// there. Strictly, a browser reads on to the missing parenthesis, but that is one mistake, and
// what follows is better judged as it was meant.
func (c *Checker) closeBrace(t *csstoken.Token) {
	if c.deeper > 0 {
		c.pop()
		return
	}
	if c.braces == 0 {
		c.fault(UnmatchedBracket, t.Start, t.End, "there is no { for this }")
		c.token(t)
		return
	}
	for c.open[len(c.open)-1].kind < block {
		c.unclosed(c.open[len(c.open)-1])
		c.pop()
	}
	if c.open[len(c.open)-1].kind == block {
		c.endItem(t.Start)
	}
	c.pop()
}

// closeBracket reads a ) or a ].
func (c *Checker) closeBracket(t *csstoken.Token) {
	if c.deeper > 0 {
		c.pop()
		return
	}
	if n := len(c.open); n > 0 {
		if kind := c.open[n-1].kind; t.Kind == csstoken.CloseParenthesis && kind <= function || t.Kind == csstoken.CloseSquare && kind == square {
			c.pop()
			return
		}
	}
	message := "there is no ( for this )"
	if t.Kind == csstoken.CloseSquare {
		message = "there is no [ for this ]"
	}
	c.fault(UnmatchedBracket, t.Start, t.End, message)
	c.token(t)
}
