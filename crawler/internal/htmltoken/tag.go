package htmltoken

// anyTag reads a tag by the states of the standard, from the tag name state (13.2.5.8) to the
// self-closing start tag state (13.2.5.40). It returns false at the end of the text.
func (z *Tokenizer) anyTag() bool {
	text, t := z.text, &z.Token
	i := z.Pos + 1
	t.Kind, t.SelfClosing, t.Attributes, t.Names = StartTag, false, t.Attributes[:0], 0
	z.many = nil
	if text[i] == '/' {
		t.Kind = EndTag
		i++
	}
	nameStart := i
	for i < len(text) && !isSpace(text[i]) && text[i] != '/' && text[i] != '>' {
		i++
	}
	nameEnd, name := i, z.lowerCase(text[nameStart:i])
	hasAttributes := false
	for {
		i = skipSpace(text, i)
		if i == len(text) {
			return z.endInTag()
		}
		switch text[i] {
		case '>':
			if t.Kind == EndTag {
				if hasAttributes {
					z.Errors.add("end-tag-with-attributes", i)
				}
				if t.SelfClosing {
					z.Errors.add("end-tag-with-trailing-solidus", i)
				}
			}
			z.tag(keyOf(name), name, nameEnd, i+1)
			return true
		case '/':
			i++
			switch {
			case i == len(text):
				return z.endInTag()
			case text[i] == '>':
				t.SelfClosing = true
			default:
				z.Errors.add("unexpected-solidus-in-tag", i)
			}
		default:
			hasAttributes = true
			if i = z.attribute(i); i < 0 {
				return z.endInTag()
			}
		}
	}
}

// endInTag drops the tag that the text ends in.
func (z *Tokenizer) endInTag() bool {
	z.Errors.add("eof-in-tag", len(z.text))
	z.Pos = len(z.text)
	return false
}

// attribute reads the attribute at i, from the attribute name state (13.2.5.33) on, and
// returns its end, -1 if the text ends within it.
func (z *Tokenizer) attribute(i int) int {
	text, a := z.text, Attribute{NameStart: i}
	if text[i] == '=' {
		z.Errors.add("unexpected-equals-sign-before-attribute-name", i)
		i++
	}
	for ; i < len(text); i++ {
		c := text[i]
		if isSpace(c) || c == '/' || c == '>' || c == '=' {
			break
		}
		if c == '"' || c == '\'' || c == '<' {
			z.Errors.add("unexpected-character-in-attribute-name", i)
		}
	}
	a.Name = z.lowerCase(text[a.NameStart:i])
	a.Key = keyOf(a.Name)
	a.NameEnd, a.ValueStart, a.ValueEnd = i, i, i
	kept := !z.many.repeat(z.Token.Attributes, a.Name)
	if !kept {
		z.Errors.add("duplicate-attribute", i)
	}
	quoted := false
	if equals := skipSpace(text, i); equals < len(text) && text[equals] == '=' {
		i = skipSpace(text, equals+1)
		a.ValueStart = i
		switch {
		case i == len(text):
		case text[i] == '"', text[i] == '\'':
			quoted = true
			a.ValueStart = i + 1
			i = indexFrom(text, a.ValueStart, text[i])
		case text[i] == '>':
			z.Errors.add("missing-attribute-value", i)
		default:
			i = z.Errors.unquotedValue(text, i)
		}
		a.ValueEnd = i
	}
	a.HasReferences = z.references.check(a.ValueStart, a.ValueEnd, true)
	switch {
	case !kept:
	case len(z.Token.Attributes) == MaxAttributes:
		z.Dropped = true
	default:
		z.Token.Attributes = append(z.Token.Attributes, a)
		z.Token.Names |= nameBit(a.Key)
	}
	if i == len(text) {
		return -1
	}
	if quoted {
		if i++; i == len(text) {
			return -1
		}
		if c := text[i]; !isSpace(c) && c != '/' && c != '>' {
			z.Errors.add("missing-whitespace-between-attributes", i)
		}
	}
	return i
}

// attributeNames are the names of the attributes of a tag that has more than a few.
type attributeNames map[string]bool

// repeat reports whether a name is that of one of the attributes before. Names beyond
// MaxAttributes are not remembered.
func (n *attributeNames) repeat(attributes []Attribute, name []byte) bool {
	if len(attributes) < fewAttributes {
		return find(attributes, string(name)) != nil
	}
	if *n == nil {
		*n = attributeNames{}
		for i := range attributes {
			(*n)[string(attributes[i].Name)] = true
		}
	}
	if (*n)[string(name)] {
		return true
	}
	if len(attributes) < MaxAttributes {
		(*n)[string(name)] = true
	}
	return false
}

// unquotedValue returns the end of the unquoted attribute value at i.
func (e *Errors) unquotedValue(text []byte, i int) int {
	for ; i < len(text) && !isSpace(text[i]) && text[i] != '>'; i++ {
		switch text[i] {
		case '"', '\'', '<', '=', '`':
			e.add("unexpected-character-in-unquoted-attribute-value", i)
		}
	}
	return i
}

// lowerCase returns a name in lower case with U+FFFD in place of NUL.
func (z *Tokenizer) lowerCase(name []byte) []byte {
	i := 0
	for i < len(name) && name[i] != 0 && (name[i] < 'A' || name[i] > 'Z') {
		i++
	}
	if i == len(name) {
		return name
	}
	start := len(z.buffer)
	for _, c := range name {
		switch {
		case c == 0:
			z.buffer = append(z.buffer, "\uFFFD"...)
		case 'A' <= c && c <= 'Z':
			z.buffer = append(z.buffer, c|0x20)
		default:
			z.buffer = append(z.buffer, c)
		}
	}
	return z.buffer[start:len(z.buffer):len(z.buffer)]
}
