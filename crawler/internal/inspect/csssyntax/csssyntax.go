// Package csssyntax finds the syntax errors of style sheets and style attributes.
//
// A Checker splits the text into tokens as CSS Syntax Module Level 3 section 4 does, and
// follows section 5 as far as an error depends on it: brackets that are open, and the rule or
// declaration that a token belongs to. It does all that in one pass, without a tree and
// without allocation. Names, properties, selectors and values are not judged, so nothing that
// is newer than this package, nor the dialect of a build tool, nor an old hack such as
// *zoom:1, is an error as long as browsers find the end of it.
//
// The reader of links in package extract has a tokenizer of its own. It wants nothing but the
// URLs: it skips sheets that have none without splitting them, passes over broken constructs
// in silence and tells apart no other tokens, so the two share no code.
package csssyntax

import "unicode/utf8"

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
	pos    int // the next byte to read
	report func(Fault)

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
	*c = Checker{src: css, report: report, open: c.open[:0], inItems: true, mayDeclare: listOnly, listOnly: listOnly}
	c.read()
	if listOnly && len(c.open) == 0 {
		c.endItem(len(css))
	}
	for _, b := range c.open {
		c.unclosed(b)
	}
	c.src, c.report = nil, nil
}

func (c *Checker) fault(rule string, start, end int, message string) {
	if end-start > maxSource {
		end = start + maxSource
		for !utf8.RuneStart(c.src[end]) {
			end--
		}
	}
	c.report(Fault{rule, start, end, message})
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

// push opens a bracket whose token is src[start:c.pos].
func (c *Checker) push(start int, kind bracketKind) {
	if len(c.open) == maxDepth {
		c.deeper++
		c.inItems = false
		return
	}
	c.open = append(c.open, bracket{start, c.pos, kind})
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
func (c *Checker) openBrace() {
	start := c.pos
	c.pos++
	switch {
	case !c.inItems || c.item == itemEmpty || c.item == itemCustom:
		c.push(start, valueBlock)
	case c.item == itemColon:
		c.item = itemOther
		c.push(start, valueBlock)
	default:
		c.item = itemEmpty
		c.push(start, block)
	}
}

// closeBrace reads a }. It closes the innermost block, and with it whatever was left open in
// there. Strictly, a browser reads on to the missing parenthesis, but that is one mistake, and
// what follows is better judged as it was meant.
func (c *Checker) closeBrace() {
	start := c.pos
	c.pos++
	if c.deeper > 0 {
		c.pop()
		return
	}
	if c.braces == 0 {
		c.fault(UnmatchedBracket, start, c.pos, "there is no { for this }")
		c.token(tokenOther, start)
		return
	}
	for c.open[len(c.open)-1].kind < block {
		c.unclosed(c.open[len(c.open)-1])
		c.pop()
	}
	if c.open[len(c.open)-1].kind == block {
		c.endItem(start)
	}
	c.pop()
}

// closeBracket reads a ) or a ].
func (c *Checker) closeBracket() {
	start, b := c.pos, c.src[c.pos]
	c.pos++
	if c.deeper > 0 {
		c.pop()
		return
	}
	if n := len(c.open); n > 0 {
		if kind := c.open[n-1].kind; b == ')' && kind <= function || b == ']' && kind == square {
			c.pop()
			return
		}
	}
	message := "there is no ( for this )"
	if b == ']' {
		message = "there is no [ for this ]"
	}
	c.fault(UnmatchedBracket, start, c.pos, message)
	c.token(tokenOther, start)
}
