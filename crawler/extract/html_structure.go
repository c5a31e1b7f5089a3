package extract

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
)

// Which links stand inside which elements is a question about the tree, and the
// tree that html.Parse builds knows no places. So each start tag that bears
// links gets a private attribute with its number, in a copy of the document; the
// copy is parsed, and the numbers found inside an element say which links are meant. It costs a
// parse, and is done only when a selector is given or an element carries an
// inline mark.

// chosen says of one start tag where it stands.
type chosen struct{ selected, ignored, marked bool }

// choose drops the links that Select and IgnoreSelect leave out, and marks those
// inside an element with IgnoreAttribute as ignored.
func (h *harvest) choose(in *Input) {
	tags := make([]int32, 0, len(h.links))
	for i := range h.links {
		if n := len(tags); n == 0 || tags[n-1] != h.links[i].tag {
			tags = append(tags, h.links[i].tag)
		}
	}
	if len(tags) == 0 {
		return
	}
	numbered, name := number(h.src.text, tags)
	// With scripting off the content of noscript is parsed, as the reader reads it.
	root, err := html.ParseWithOptions(bytes.NewReader(numbered), html.ParseOptionEnableScripting(false))
	if err != nil {
		h.fault("apply selectors: %v: no link is left out", err)
		return
	}
	where := inspect(root, in, name, len(tags))
	kept := h.links[:0]
	places := make([]int, len(h.links)) // in kept plus one, 0 of what is left out
	n := 0
	for i := range h.links {
		f := &h.links[i]
		if tags[n] != f.tag {
			n++
		}
		f.Ignored = f.Ignored || where[n].marked
		if (in.Select.IsZero() || where[n].selected) && !where[n].ignored {
			if f.Repeats > 0 {
				f.Repeats = places[f.Repeats-1]
			}
			kept = append(kept, *f)
			places[i] = len(kept)
		}
	}
	h.links = kept
}

// number copies a document and gives the start tags at the offsets, which rise,
// their numbers in an attribute whose name no document can foresee.
func number(doc []byte, tags []int32) (numbered []byte, name string) {
	name = "data-orbweaver-" + strconv.FormatUint(rand.Uint64(), 36)
	numbered = make([]byte, 0, len(doc)+len(tags)*(len(name)+len(` ="123456"`)))
	last := 0
	for i, tag := range tags {
		behind := int(tag) + tagName(doc[tag:]).end
		numbered = append(numbered, doc[last:behind]...)
		numbered = append(numbered, ' ')
		numbered = append(numbered, name...)
		numbered = append(numbered, `="`...)
		numbered = strconv.AppendInt(numbered, int64(i), 10)
		numbered = append(numbered, '"')
		last = behind
	}
	return append(numbered, doc[last:]...), name
}

// inspect walks the tree and says where each numbered tag stands. The parser may
// put one tag into the tree several times; one place that is meant is enough.
func inspect(root *html.Node, in *Input, name string, tags int) []chosen {
	doc := goquery.NewDocumentFromNode(root)
	find := func(s Selector) map[*html.Node]bool {
		nodes := map[*html.Node]bool{}
		if !s.IsZero() {
			for _, n := range doc.FindMatcher(s.matcher).Nodes {
				nodes[n] = true
			}
		}
		return nodes
	}
	selected, ignored := find(in.Select), find(in.IgnoreSelect)
	where := make([]chosen, tags)
	var walk func(n *html.Node, inside chosen)
	walk = func(n *html.Node, inside chosen) {
		if n.Type == html.ElementNode {
			inside.selected = inside.selected || selected[n]
			inside.ignored = inside.ignored || ignored[n]
			inside.marked = inside.marked || slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == IgnoreAttribute })
			for _, a := range n.Attr {
				if a.Key != name {
					continue
				}
				if i, err := strconv.Atoi(a.Val); err == nil && i < tags {
					w := &where[i]
					w.selected = w.selected || inside.selected
					w.ignored = w.ignored || inside.ignored
					w.marked = w.marked || inside.marked
				}
			}
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c, inside) // html.Parse allows 512 levels at most
		}
	}
	walk(root, chosen{})
	return where
}
