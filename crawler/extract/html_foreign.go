package extract

// foreign keeps track of SVG and MathML in HTML, as far as it changes how markup
// is read: which elements are meant, where CDATA sections count, and where the
// content of title, style and script is markup. It follows the rules of HTML
// 13.2.6.5 for elements that close foreign content, without a tree: what an end
// tag does that belongs to neither language at hand is guessed by its name.
type foreign struct {
	open []foreignElement
	// count says how many of open have each name, by its place in foreignNames.
	count [len(foreignNames) + 1]int
}

type foreignElement struct {
	kind foreignKind
	name uint8 // its place in foreignNames
	// other is what HTML would take the element for, whose end tag may close one outside too.
	other *element
}

// foreignNames are the elements kept track of by name: svg and math, and the integration
// points, inside which HTML stands. Names are in lower case, as the tokenizer writes them.
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

// in says which language the next start tag belongs to.
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

// maxOther is how many elements are open before no more are kept track of but by name:
// browsers' trees are no deeper, and a page may open millions.
const maxOther = 512

func (f *foreign) pushOther(kind foreignKind, e *element) {
	if len(f.open) >= maxOther {
		return
	}
	f.push(kind, nameOther)
	f.open[len(f.open)-1].other = e
}

// cut closes all but the outermost n.
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

// integrationPoint returns the place in foreignNames of an element of SVG or
// MathML inside which HTML stands, and -1 for any other.
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

// endTag closes what an end tag closes; its name may be in any letter case.
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

// endOther closes the innermost of an element, which is taken to be open outside of all
// SVG and MathML at hand where it is not open inside.
func (f *foreign) endOther(e *element) {
	for i := len(f.open) - 1; i >= 0 && f.open[i].kind != inHTML; i-- {
		if f.open[i].other == e {
			f.cut(i)
			return
		}
	}
	f.breakOut()
}
