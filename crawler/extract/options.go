package extract

import (
	"errors"
	"strings"
)

// Options ask for references that are not read otherwise, and for anchors of one kind alone. The zero value asks
// for none of both.
type Options struct {
	// WikiLinks reads the wiki links of Markdown: [[Page]], [[Page#Heading]], [[Page|text]]
	// and ![[image.png]].
	WikiLinks bool
	// Verbatim reads the URLs in code: in code blocks and code spans of Markdown, and in the
	// text of elements for code, such as pre and code, in HTML.
	Verbatim bool
	// TextMail reads the mail addresses in plain text.
	TextMail bool
	// Anchors is the rule by which headings of Markdown and Org get their anchors. The zero value
	// stands for all rules.
	Anchors AnchorRule
	// Attributes are further attributes of HTML that contain references.
	Attributes []Attribute
}

// ReadsMarkup reports whether they ask for more of HTML. Its links are then not bare.
func (o *Options) ReadsMarkup() bool { return o.Verbatim || len(o.Attributes) > 0 }

// Attribute is an attribute of HTML elements whose value is a reference, or a list of image
// candidates if its name ends in "srcset".
type Attribute struct {
	element string // in lower case; "" for all elements
	name    string // in lower case
}

// ParseAttribute parses the name of an attribute, or ELEMENT:ATTRIBUTE.
func ParseAttribute(s string) (Attribute, error) {
	element, name, ok := strings.Cut(strings.ToLower(s), ":")
	if !ok {
		element, name = "", element
	}
	if name == "" || ok && element == "" || strings.ContainsAny(s, " \t\n\f\r/>='\"<") {
		return Attribute{}, errors.New("use the name of an attribute, such as data-src, or of an element and its attribute, such as my-card:link")
	}
	return Attribute{element, name}, nil
}

// reads reports whether an attribute of an element is one of those.
func (o *Options) reads(element, name string) bool {
	for _, a := range o.Attributes {
		if a.name == name && (a.element == "" || a.element == element) {
			return true
		}
	}
	return false
}
