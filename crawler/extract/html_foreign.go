package extract

// foreign tracks SVG and MathML in HTML as far as they change how markup is read: which
// elements a name means, where CDATA sections count, and where the content of title, style
// and script is markup. It follows the rules of HTML 13.2.6.5 for elements that close foreign
// content, but without a tree: if an end tag belongs to neither language, its effect is
// guessed from its name.
type foreign struct {
	open []foreignElement
	// count is the number of elements in open with each name, indexed like foreignNames.
	count [len(foreignNames) + 1]int
}

type foreignElement struct {
	kind foreignKind
	name uint8 // index in foreignNames
	// other is the HTML element with this name, if an end tag may also close such an element
	// outside.
	other *element
}

// foreignNames are the elements tracked by name: svg and math, and the integration points,
// which contain HTML. Names are in lower case, as the tokenizer writes them.
var foreignNames = [...]string{"svg", "math", "foreignobject", "desc", "title", "mi", "mo", "mn", "ms", "mtext", "annotation-xml"}

const (
	nameSVG        = 0
	nameMath       = 1
	firstSVGPoint  = 2
	firstMathPoint = 5
	annotationXML  = 10
	nameOther      = 11
)

type foreignKind uint8

const (
	inHTML foreignKind = iota // an integration point: HTML inside SVG or MathML
	inSVG
	inMath
)

// in returns the language of the next start tag.
func (f *foreign) in() foreignKind {
	if n := len(f.open); n > 0 {
		return f.open[n-1].kind
	}
	return inHTML
}

func (f *foreign) push(kind foreignKind, name int) {
	f.open = append(f.open, foreignElement{kind: kind, name: uint8(name)})
	f.count[name]++
}

// maxOther is the number of open elements beyond which only those in foreignNames are
// tracked. Trees in browsers are no deeper, and a page may open millions of elements.
const maxOther = 512

func (f *foreign) pushOther(kind foreignKind, e *element) {
	if len(f.open) >= maxOther {
		return
	}
	f.push(kind, nameOther)
	f.open[len(f.open)-1].other = e
}

// cut closes all elements except the outermost n.
func (f *foreign) cut(n int) {
	for _, e := range f.open[n:] {
		f.count[e.name]--
	}
	f.open = f.open[:n]
}

// breakOut leaves all foreign content up to the nearest HTML.
func (f *foreign) breakOut() {
	n := len(f.open)
	for n > 0 && f.open[n-1].kind != inHTML {
		n--
	}
	f.cut(n)
}

// integrationPoint returns the index in foreignNames of an element of SVG or MathML that
// contains HTML, and -1 for any other element.
func integrationPoint(in foreignKind, t *startTag) int {
	first, end := firstSVGPoint, firstMathPoint
	switch in {
	case inHTML:
		return -1
	case inMath:
		first, end = firstMathPoint, len(foreignNames)
	}
	for i := first; i < end; i++ {
		if t.is(foreignNames[i]) {
			return i
		}
	}
	return -1
}

// endTag closes the elements that an end tag closes. The case of its name does not matter.
func (f *foreign) endTag(name []byte) {
	if len(f.open) == 0 {
		return
	}
	if e := htmlElements.find(keyOf(name), name); f.in() != inHTML && e.endBreaksOut {
		f.endOther(e)
		return
	}
	for n := range foreignNames {
		if f.count[n] > 0 && equalFold(name, foreignNames[n]) {
			i := len(f.open) - 1
			for f.open[i].name != uint8(n) {
				i--
			}
			f.cut(i)
			return
		}
	}
}

// endOther closes the innermost open element of this kind. If there is none inside the
// current SVG or MathML, it is assumed to be open outside.
func (f *foreign) endOther(e *element) {
	for i := len(f.open) - 1; i >= 0 && f.open[i].kind != inHTML; i-- {
		if f.open[i].other == e {
			f.cut(i)
			return
		}
	}
	f.breakOut()
}
