package htmltoken

// Element is a number for each name of an element that the HTML Standard treats in a way of
// its own.
type Element uint8

// The elements of HTML, and the elements of SVG and MathML that matter to the parser of HTML.
const (
	Unknown Element = iota
	A
	Abbr
	Acronym
	Address
	Applet
	Area
	Article
	Aside
	Audio
	B
	Base
	Basefont
	Bdi
	Bdo
	Bgsound
	Big
	Blink
	Blockquote
	Body
	Br
	Button
	Canvas
	Caption
	Center
	Cite
	Code
	Col
	Colgroup
	Data
	Datalist
	Dd
	Del
	Details
	Dfn
	Dialog
	Dir
	Div
	Dl
	Dt
	Em
	Embed
	Fieldset
	Figcaption
	Figure
	Font
	Footer
	Form
	Frame
	Frameset
	H1
	H2
	H3
	H4
	H5
	H6
	Head
	Header
	Hgroup
	Hr
	HTML
	I
	Iframe
	Image
	Img
	Input
	Ins
	Kbd
	Keygen
	Label
	Legend
	Li
	Link
	Listing
	Main
	Map
	Mark
	Marquee
	Math
	Menu
	Menuitem
	Meta
	Meter
	Nav
	Nobr
	Noembed
	Noframes
	Noscript
	Object
	Ol
	Optgroup
	Option
	Output
	P
	Param
	Picture
	Plaintext
	Pre
	Progress
	Q
	Rb
	Rbc
	Rp
	Rt
	Rtc
	Ruby
	S
	Samp
	Script
	Search
	Section
	Select
	Selectedcontent
	Slot
	Small
	Source
	Span
	Strike
	Strong
	Style
	Sub
	Summary
	Sup
	SVG
	Table
	Tbody
	Td
	Template
	Textarea
	Tfoot
	Th
	Thead
	Time
	Title
	Tr
	Track
	Tt
	U
	Ul
	Var
	Video
	Wbr
	Xmp
	AnnotationXML
	Desc
	ForeignObject
	Malignmark
	Mglyph
	Mi
	Mn
	Mo
	Ms
	Mtext
)

// elementNames are the names of the elements, by number.
var elementNames = [...]string{
	"",
	"a",
	"abbr",
	"acronym",
	"address",
	"applet",
	"area",
	"article",
	"aside",
	"audio",
	"b",
	"base",
	"basefont",
	"bdi",
	"bdo",
	"bgsound",
	"big",
	"blink",
	"blockquote",
	"body",
	"br",
	"button",
	"canvas",
	"caption",
	"center",
	"cite",
	"code",
	"col",
	"colgroup",
	"data",
	"datalist",
	"dd",
	"del",
	"details",
	"dfn",
	"dialog",
	"dir",
	"div",
	"dl",
	"dt",
	"em",
	"embed",
	"fieldset",
	"figcaption",
	"figure",
	"font",
	"footer",
	"form",
	"frame",
	"frameset",
	"h1",
	"h2",
	"h3",
	"h4",
	"h5",
	"h6",
	"head",
	"header",
	"hgroup",
	"hr",
	"html",
	"i",
	"iframe",
	"image",
	"img",
	"input",
	"ins",
	"kbd",
	"keygen",
	"label",
	"legend",
	"li",
	"link",
	"listing",
	"main",
	"map",
	"mark",
	"marquee",
	"math",
	"menu",
	"menuitem",
	"meta",
	"meter",
	"nav",
	"nobr",
	"noembed",
	"noframes",
	"noscript",
	"object",
	"ol",
	"optgroup",
	"option",
	"output",
	"p",
	"param",
	"picture",
	"plaintext",
	"pre",
	"progress",
	"q",
	"rb",
	"rbc",
	"rp",
	"rt",
	"rtc",
	"ruby",
	"s",
	"samp",
	"script",
	"search",
	"section",
	"select",
	"selectedcontent",
	"slot",
	"small",
	"source",
	"span",
	"strike",
	"strong",
	"style",
	"sub",
	"summary",
	"sup",
	"svg",
	"table",
	"tbody",
	"td",
	"template",
	"textarea",
	"tfoot",
	"th",
	"thead",
	"time",
	"title",
	"tr",
	"track",
	"tt",
	"u",
	"ul",
	"var",
	"video",
	"wbr",
	"xmp",
	"annotation-xml",
	"desc",
	"foreignobject",
	"malignmark",
	"mglyph",
	"mi",
	"mn",
	"mo",
	"ms",
	"mtext",
}

// String returns the name of the element in lower case, empty for [Unknown].
func (e Element) String() string { return elementNames[e] }

// The table of elements is a hash table without chains that is kept two thirds empty. Its
// keys are the first eight bytes of the names, which are nearly all of most names.
const elementTableBits = 9

var elementTable = func() (table [1 << elementTableBits]struct {
	key     uint64
	element Element
	long    bool // the name is longer than its key
}) {
	for e, name := range elementNames[1:] {
		key := keyOf([]byte(name))
		i := elementSlot(key)
		for table[i].key != 0 {
			i = (i + 1) % len(table)
		}
		table[i].key, table[i].element, table[i].long = key, Element(e+1), len(name) > 8
	}
	return table
}()

func elementSlot(key uint64) int {
	const golden = 0x9E3779B97F4A7C15 // 2^64 divided by the golden ratio: spreads keys that differ in few bits
	return int(key * golden >> (64 - elementTableBits))
}

// elementOf returns the element with a name in lower case, whose key is known.
func elementOf(key uint64, name []byte) Element {
	for i := elementSlot(key); elementTable[i].key != 0; i = (i + 1) % len(elementTable) {
		e := &elementTable[i]
		if e.key == key && (len(name) <= 8 && !e.long || elementNames[e.element] == string(name)) {
			return e.element
		}
	}
	return Unknown
}

// keyOf returns the first eight bytes of a name as a word, the first byte lowest.
func keyOf(name []byte) (key uint64) {
	for i := min(len(name), 8) - 1; i >= 0; i-- {
		key = key<<8 | uint64(name[i])
	}
	return key
}
