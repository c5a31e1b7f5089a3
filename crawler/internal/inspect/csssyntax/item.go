package csssyntax

import (
	"bytes"

	"github.com/orbweaver/orbweaver/crawler/internal/csstoken"
)

// item is what is known of the current rule or declaration.
type item uint8

const (
	itemEmpty     item = iota // nothing was read
	itemName                  // a name: of a declaration, or the beginning of a nested rule
	itemNoColon               // a name and something that is not a colon: a nested rule, or an error
	itemColon                 // a name and a colon
	itemBang                  // a name, a colon and an exclamation mark
	itemImportant             // a name, a colon and !important
	// Nothing can be wrong with the following ones.
	itemCustom // a custom property, whose value may be anything, even nothing
	itemOther  // a declaration with a value, a rule, or what only browsers of old understood
)

// token adds a token to the current item.
func (c *Checker) token(t *csstoken.Token) {
	if !c.inItems || c.item >= itemCustom {
		return
	}
	switch c.item {
	case itemEmpty:
		c.item, c.itemStart, c.nameEnd = itemOther, t.Start, t.End
		if t.Kind == csstoken.Name && c.mayDeclare {
			c.item = itemName
		}
	case itemName:
		switch {
		case t.Kind != csstoken.Colon:
			c.item = itemNoColon
		case c.maybeCustom():
			c.item = itemCustom
		default:
			c.item = itemColon
		}
	case itemColon:
		c.item = itemOther
		if t.Kind == csstoken.Bang {
			c.item = itemBang
		}
	case itemBang:
		c.item = itemOther
		if t.Kind == csstoken.Name && csstoken.IsName(c.src[t.Start:t.End], "important") {
			c.item = itemImportant
		}
	case itemImportant:
		c.item = itemOther
	}
}

// endItem ends the current item at the offset end, where a semicolon, the end of the block or
// the end of a list of declarations is.
func (c *Checker) endItem(end int) {
	switch c.item {
	case itemName, itemNoColon:
		c.fault(MissingColon, c.itemStart, c.trim(end), "the name of the declaration is not followed by a colon")
	case itemColon, itemImportant:
		if !c.valueIsOptional() {
			c.fault(MissingValue, c.itemStart, c.trim(end), "the declaration has no value")
		}
	}
	c.item = itemEmpty
}

// trim returns end less the white space before it.
func (c *Checker) trim(end int) int { return len(bytes.TrimRight(c.src[:end], " \t\n\r\f")) }

// maybeCustom reports whether the current item begins like a custom property. A name that
// begins with an escape may be one.
func (c *Checker) maybeCustom() bool {
	name := c.src[c.itemStart:]
	return name[0] == '\\' || name[0] == '-' && len(name) > 1 && (name[1] == '-' || name[1] == '\\')
}

// valueIsOptional reports whether the current item is one of the descriptors that may be
// empty: initial-value of @property, and result of @function.
func (c *Checker) valueIsOptional() bool {
	name := c.src[c.itemStart:c.nameEnd]
	return csstoken.IsName(name, "initial-value") || csstoken.IsName(name, "result")
}
