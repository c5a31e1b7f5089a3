package extract

import (
	"maps"
	"slices"

	"github.com/orbweaver/orbweaver/crawler/internal/htmltoken"
)

// attribute is the number of an attribute name that has a meaning for the reader.
type attribute uint8

const (
	attrHref attribute = iota
	attrXlinkHref
	attrSrc
	attrSrcset
	attrImagesrcset
	attrSrcdoc
	attrLongdesc
	attrLowsrc
	attrUsemap
	attrPoster
	attrData
	attrCodebase
	attrClassid
	attrArchive
	attrAction
	attrFormaction
	attrCite
	attrContent
	attrManifest
	attrProfile
	attrBackground
	attrPing
	attrPluginspage
	attrStyle
	// The rest are not references; they determine what references mean.
	attrID
	attrName
	attrAlt
	attrIgnore
	attrNoCheck
	attrOnload
	attrProperty // from here on, they have no meaning on an element without a role or a reference
	attrHTTPEquiv
	attrRel
	attrAs
	attrType
	attrMedia
	attrLanguage
	attrMethod
	attrFormmethod
	attrTitle
	attrAriaLabel
	attrShadowrootmode
	attrAutocomplete
	attributeCount
)

// meaningfulWithoutRole reports whether the attribute with a number, -1 for an unknown one,
// may have a meaning on an element without a role.
func meaningfulWithoutRole(number int) bool { return uint(number) < uint(attrProperty) }

// A start tag stores its attributes as a bit set of 64 bits.
var _ [64 - attributeCount]struct{}

var attributeNames = [attributeCount]string{
	attrHref: "href", attrXlinkHref: "xlink:href", attrSrc: "src", attrSrcset: "srcset",
	attrImagesrcset: "imagesrcset", attrSrcdoc: "srcdoc", attrLongdesc: "longdesc", attrLowsrc: "lowsrc",
	attrUsemap: "usemap", attrPoster: "poster", attrData: "data", attrCodebase: "codebase",
	attrClassid: "classid", attrArchive: "archive", attrAction: "action", attrFormaction: "formaction",
	attrCite: "cite", attrContent: "content", attrManifest: "manifest", attrProfile: "profile",
	attrBackground: "background", attrPing: "ping", attrPluginspage: "pluginspage", attrStyle: "style",
	attrID: "id", attrName: "name", attrProperty: "property", attrHTTPEquiv: "http-equiv",
	attrRel: "rel", attrAs: "as", attrType: "type", attrMedia: "media", attrLanguage: "language",
	attrMethod: "method", attrFormmethod: "formmethod", attrTitle: "title", attrAlt: "alt",
	attrAriaLabel: "aria-label", attrShadowrootmode: "shadowrootmode",
	attrAutocomplete: "autocomplete", attrIgnore: ignoreAttribute, attrNoCheck: noCheckAttribute, attrOnload: "onload",
}

// ignoreAttribute on an element excludes its links and those of the elements inside it.
const ignoreAttribute = "data-orbweaver-ignore"

// noCheckAttribute does the same. Docusaurus leaves out links that have it when it looks for broken
// ones (https://docusaurus.io/docs/api/docusaurus-config#onBrokenLinks), and writes it as noCheckSpelling.
const (
	noCheckAttribute = "data-nobrokenlinkcheck"
	noCheckSpelling  = "data-noBrokenLinkCheck"
)

// isIgnoreMark reports whether an attribute, whose name is in lower case, excludes links.
func isIgnoreMark(name string) bool { return name == ignoreAttribute || name == noCheckAttribute }

// form is how an attribute's value contains references.
type form uint8

const (
	formNone       form = iota
	formURL             // the whole value
	formBackground      // the whole value, unless it is empty
	formSpaces          // a list separated by white space
	formCommas          // a list separated by commas
	formSrcset          // image candidates
	formDocument        // a document: srcdoc
	formHashName        // "#" and the name of a map
	formRel             // the whole value; its meaning depends on rel
	formMeta            // content of a meta element
	formSubmission      // the whole value, unless the form is sent with POST
	formClass           // a URL, or the name of software (clsid:, java:)
)

// A rule says which references an attribute of an element contains.
type rule struct {
	element   string
	attribute attribute
	form      form
	kind      Kind
	expect    Expect
}

// htmlRules are the references of HTML: those of the current standard, of HTML 4 and 3.2, and
// of browser extensions from that time.
var htmlRules = []rule{
	{"a", attrHref, formURL, Navigation, ExpectAny},
	{"a", attrPing, formSpaces, Host, ExpectAny},
	{"area", attrHref, formURL, Navigation, ExpectAny},
	{"area", attrPing, formSpaces, Host, ExpectAny},
	{"link", attrHref, formRel, Metadata, ExpectAny},
	{"link", attrImagesrcset, formSrcset, Resource, ExpectImage},
	{"meta", attrContent, formMeta, Metadata, ExpectAny},
	{"script", attrSrc, formURL, Resource, ExpectScript},
	{"html", attrManifest, formURL, Resource, ExpectAny},
	{"head", attrProfile, formSpaces, Metadata, ExpectAny},

	{"img", attrSrc, formURL, Resource, ExpectImage},
	{"img", attrSrcset, formSrcset, Resource, ExpectImage},
	{"img", attrLongdesc, formURL, Navigation, ExpectAny},
	{"img", attrLowsrc, formURL, Resource, ExpectImage},
	{"img", attrUsemap, formHashName, Navigation, ExpectAny},
	{"source", attrSrc, formURL, Resource, ExpectAny},
	{"source", attrSrcset, formSrcset, Resource, ExpectImage},
	{"video", attrSrc, formURL, Resource, ExpectAny},
	{"video", attrPoster, formURL, Resource, ExpectImage},
	{"audio", attrSrc, formURL, Resource, ExpectAny},
	{"track", attrSrc, formURL, Resource, ExpectAny},
	{"bgsound", attrSrc, formURL, Resource, ExpectAny},

	{"iframe", attrSrc, formURL, Navigation, ExpectAny},
	{"iframe", attrLongdesc, formURL, Navigation, ExpectAny},
	{"iframe", attrSrcdoc, formDocument, Navigation, ExpectAny},
	{"frame", attrSrc, formURL, Navigation, ExpectAny},
	{"frame", attrLongdesc, formURL, Navigation, ExpectAny},
	{"layer", attrSrc, formURL, Navigation, ExpectAny},
	{"layer", attrBackground, formBackground, Resource, ExpectImage},
	{"ilayer", attrSrc, formURL, Navigation, ExpectAny},
	{"ilayer", attrBackground, formURL, Resource, ExpectImage},

	{"embed", attrSrc, formURL, Navigation, ExpectAny},
	{"embed", attrPluginspage, formURL, Metadata, ExpectAny},
	{"object", attrData, formURL, Navigation, ExpectAny},
	{"object", attrClassid, formClass, Resource, ExpectAny},
	{"object", attrArchive, formSpaces, Resource, ExpectAny},
	{"object", attrCodebase, formURL, Host, ExpectAny},
	{"object", attrUsemap, formHashName, Navigation, ExpectAny},
	{"applet", attrArchive, formCommas, Resource, ExpectAny},
	{"applet", attrCodebase, formURL, Host, ExpectAny},

	{"form", attrAction, formSubmission, Submission, ExpectAny},
	{"input", attrSrc, formURL, Resource, ExpectImage},
	{"input", attrFormaction, formSubmission, Submission, ExpectAny},
	{"input", attrUsemap, formHashName, Navigation, ExpectAny},
	{"button", attrFormaction, formSubmission, Submission, ExpectAny},
	{"isindex", attrAction, formURL, Submission, ExpectAny},

	{"blockquote", attrCite, formURL, Metadata, ExpectAny},
	{"q", attrCite, formURL, Metadata, ExpectAny},
	{"ins", attrCite, formURL, Metadata, ExpectAny},
	{"del", attrCite, formURL, Metadata, ExpectAny},

	{"body", attrBackground, formBackground, Resource, ExpectImage},
	{"table", attrBackground, formBackground, Resource, ExpectImage},
	{"thead", attrBackground, formBackground, Resource, ExpectImage},
	{"tbody", attrBackground, formBackground, Resource, ExpectImage},
	{"tfoot", attrBackground, formBackground, Resource, ExpectImage},
	{"tr", attrBackground, formBackground, Resource, ExpectImage},
	{"td", attrBackground, formBackground, Resource, ExpectImage},
	{"th", attrBackground, formBackground, Resource, ExpectImage},
	// The standard does not have the next two, but Chromium and WebKit load them.
	{"col", attrBackground, formBackground, Resource, ExpectImage},
	{"colgroup", attrBackground, formBackground, Resource, ExpectImage},
	{"xmp", attrHref, formURL, Navigation, ExpectAny},
}

// svgRules are the elements with a reference in href or, as in SVG 1.1, in xlink:href.
var svgRules = []struct {
	name   string
	kind   Kind
	expect Expect
}{
	{"a", Navigation, ExpectAny},
	{"image", Resource, ExpectImage},
	{"feimage", Resource, ExpectImage},
	{"script", Resource, ExpectScript},
	{"use", Resource, ExpectAny},
	{"lineargradient", Resource, ExpectAny},
	{"radialgradient", Resource, ExpectAny},
	{"pattern", Resource, ExpectAny},
	{"textpath", Resource, ExpectAny},
	{"mpath", Resource, ExpectAny},
	{"filter", Resource, ExpectAny},
	{"animate", Resource, ExpectAny},
	{"animatecolor", Resource, ExpectAny},
	{"animatemotion", Resource, ExpectAny},
	{"animatetransform", Resource, ExpectAny},
	{"set", Resource, ExpectAny},
	{"discard", Resource, ExpectAny},
	{"tref", Resource, ExpectAny},
	{"cursor", Resource, ExpectAny},
	{"glyphref", Resource, ExpectAny},
	{"altglyph", Resource, ExpectAny},
	{"color-profile", Resource, ExpectAny},
	{"font-face-uri", Resource, ExpectAny},
}

// role is what the reader does for an element besides applying its rules.
type role uint8

const (
	roleNone role = iota
	roleA
	roleBase
	roleMeta
	roleLink
	roleForm
	roleInput
	roleScript
	roleStyle
	roleTitle
	roleTemplate
	roleNoscript
	roleMap
	roleImg
	roleSource
	roleObject
	roleFrameset
	roleFrame
	roleRawText
	roleSVG
	roleMath
)

var htmlRoles = map[string]role{
	"a": roleA, "base": roleBase, "meta": roleMeta, "link": roleLink, "form": roleForm, "input": roleInput,
	"script": roleScript, "style": roleStyle, "title": roleTitle, "template": roleTemplate,
	"noscript": roleNoscript, "map": roleMap, "img": roleImg, "source": roleSource, "object": roleObject, "applet": roleObject,
	"frameset": roleFrameset, "frame": roleFrame, "svg": roleSVG, "math": roleMath,
	"textarea": roleRawText, "iframe": roleRawText, "xmp": roleRawText, "noembed": roleRawText,
	"noframes": roleRawText, "plaintext": roleRawText,
}

var svgRoles = map[string]role{
	"a": roleA, "script": roleScript, "style": roleStyle, "svg": roleSVG,
}

// element is a row of the compiled tables.
type element struct {
	name string
	role role
	// rules has, for each attribute, one more than the index of its rule in list, or 0.
	rules    [attributeCount]uint8
	list     []rule
	ruleBits uint64 // bit set of the attributes that have a rule
	// fillsBody is set for an element after which no frameset is allowed (13.2.6.4.7).
	fillsBody bool
}

// alwaysRead are the attributes that have a meaning on elements without a rule for them.
const alwaysRead = 1<<attrID | 1<<attrName | 1<<attrStyle

// unknownElement represents all elements that are not in the tables.
var unknownElement element

func (e *element) rule(a attribute) *rule {
	if i := e.rules[a]; i > 0 {
		return &e.list[i-1]
	}
	return nil
}

// elementIndex maps names in lower case to elements while the tables are compiled.
type elementIndex map[string]*element

func (x elementIndex) at(name string) *element {
	e := x[name]
	if e == nil {
		e = &element{name: name}
		x[name] = e
	}
	return e
}

func (x elementIndex) add(r rule) {
	e := x.at(r.element)
	e.list = append(e.list, r)
	e.rules[r.attribute] = uint8(len(e.list))
	e.ruleBits |= 1 << r.attribute
}

// fillBody are the elements after which no frameset is allowed.
var fillBody = []string{"body", "pre", "listing", "li", "dd", "dt", "button", "applet", "marquee", "object", "table", "area", "br",
	"embed", "img", "keygen", "wbr", "input", "hr", "textarea", "xmp", "iframe", "select"}

// ordinaryElements have no meaning of their own. They are in the tables so that their names need
// not be allocated.
var ordinaryElements = []string{"b", "big", "blockquote", "center", "code", "div", "dl", "em", "h1", "h2", "h3", "h4", "h5",
	"h6", "i", "menu", "nobr", "ol", "p", "ruby", "s", "small", "span", "strong", "strike", "sub", "sup", "tt", "u", "ul", "var",
	"head", "meta", "a", "article", "aside", "section", "header", "footer", "main", "nav", "figure", "figcaption", "label",
	"abbr", "kbd", "samp", "cite", "option", "fieldset", "details", "summary", "form", "noscript",
	"td", "th", "tr", "tbody", "thead", "tfoot", "caption", "address", "dialog", "q", "ins", "del",
	"font", "g", "path", "rect", "circle", "text"}

// htmlElements, svgElements and mathElements are the compiled tables. In HTML, "image" is an
// alias of "img".
var htmlElements, svgElements, mathElements = compileHTML().compile(), compileSVG().compile(), compileMath().compile()

// elementA is the a element, to which most tags with a meaning belong.
var elementA = htmlElements.find('a', []byte("a"))

// knownElements are the elements of HTML by their numbers, nil for a number that none has.
var knownElements = func() (known [256]*element) {
	for e := htmltoken.Unknown + 1; e <= htmltoken.Mtext; e++ {
		known[e] = htmlElements.find(keyOf([]byte(e.String())), []byte(e.String()))
	}
	return known
}()

// elementTable finds elements.
type elementTable struct {
	names *nameTable
	list  []*element
}

func (x elementIndex) compile() elementTable {
	names := slices.Sorted(maps.Keys(x))
	t := elementTable{names: newNameTable(names)}
	for _, name := range names {
		t.list = append(t.list, x[name])
	}
	return t
}

// find returns the element with a name whose key is known.
func (t *elementTable) find(key nameKey, name []byte) *element {
	if i := t.names.find(key, name); i >= 0 {
		return t.list[i]
	}
	return &unknownElement
}

func compileHTML() elementIndex {
	x := elementIndex{}
	for _, r := range htmlRules {
		x.add(r)
	}
	for name, role := range htmlRoles {
		x.at(name).role = role
	}
	for _, name := range fillBody {
		x.at(name).fillsBody = true
	}
	for _, name := range ordinaryElements {
		x.at(name)
	}
	image := *x["img"]
	x["image"] = &image
	return x
}

func compileSVG() elementIndex {
	x := elementIndex{}
	for _, s := range svgRules {
		x.add(rule{s.name, attrHref, formURL, s.kind, s.expect})
		x.add(rule{s.name, attrXlinkHref, formURL, s.kind, s.expect})
	}
	for name, role := range svgRoles {
		x.at(name).role = role
	}
	return x
}

// compileMath has one element: in MathML, only a elements are links (MathML Core, "Linking"). The
// href of other elements, as in MathML 3, is not in MathML Core, and browsers drop it.
func compileMath() elementIndex {
	x := elementIndex{}
	x.add(rule{"a", attrHref, formURL, Navigation, ExpectAny})
	x.at("a").role = roleA
	return x
}

// longestKnown is the length of the longest name in the tables.
const longestKnown = len(noCheckAttribute)

// knownAttributes maps attribute names to the values of type attribute.
var knownAttributes = newNameTable(attributeNames[:])
