package csssyntax

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

// token is the kind of a token, as far as items depend on it.
type token uint8

const (
	tokenOther token = iota
	tokenName
	tokenColon
	tokenBang
)

// token takes a token that begins at start and ends at c.pos to the current item.
func (c *Checker) token(t token, start int) {
	if !c.inItems || c.item >= itemCustom {
		return
	}
	switch c.item {
	case itemEmpty:
		c.item, c.itemStart = itemOther, start
		if t == tokenName && c.mayDeclare {
			c.item = itemName
		}
	case itemName:
		switch {
		case t != tokenColon:
			c.item = itemNoColon
		case c.maybeCustom():
			c.item = itemCustom
		default:
			c.item = itemColon
		}
	case itemColon:
		c.item = itemOther
		if t == tokenBang {
			c.item = itemBang
		}
	case itemBang:
		c.item = itemOther
		if t == tokenName && isName(c.src[start:c.pos], "important") {
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
func (c *Checker) trim(end int) int {
	for classes[c.src[end-1]] == space {
		end--
	}
	return end
}

// maybeCustom reports whether the current item begins like a custom property. A name that
// begins with an escape may be one.
func (c *Checker) maybeCustom() bool {
	name := c.src[c.itemStart:]
	return name[0] == '\\' || name[0] == '-' && len(name) > 1 && (name[1] == '-' || name[1] == '\\')
}

// valueIsOptional reports whether the current item is one of the descriptors that may be
// empty: initial-value of @property, and result of @function.
func (c *Checker) valueIsOptional() bool {
	name := c.src[c.itemStart:skipName(c.src, c.itemStart)]
	return isName(name, "initial-value") || isName(name, "result")
}
