package render

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/chromedp"
)

// element returns an element with attributes and children.
func element(tag string, attributes []string, children ...*cdp.Node) *cdp.Node {
	return &cdp.Node{NodeType: elementNode, LocalName: tag, Attributes: attributes, Children: children}
}

func text(s string) *cdp.Node { return &cdp.Node{NodeType: textNode, NodeValue: s} }

func document(root *cdp.Node) *cdp.Node {
	return &cdp.Node{NodeType: documentNode, BaseURL: "http://a.example/", Children: []*cdp.Node{root}}
}

func sample() *cdp.Node {
	host := element("div", []string{"id", "7:x"}, element("a", []string{"href", "light"}))
	host.ShadowRoots = []*cdp.Node{{NodeType: 11, ShadowRootType: cdp.ShadowRootTypeClosed, Children: []*cdp.Node{
		element("p", []string{"id", "in"}, element("a", []string{"href", "shadow"})), element("a", []string{"href", "top"})}}}
	input := element("input", []string{"value", "v"})
	input.ShadowRoots = []*cdp.Node{{NodeType: 11, ShadowRootType: cdp.ShadowRootTypeUserAgent, Children: []*cdp.Node{element("div", nil)}}}
	return document(element("html", nil, element("body", nil,
		element("a", []string{"href", "/a?b&\"c\"\nd", "bad name", "x"}, text("<1>\n&")), host, input,
		element("linearGradient", nil), element("p", []string{"id", "twice"}), element("p", []string{"id", "twice"}),
		element("script", nil, text("no text")), element("style", nil, text("a{}\n</style><b>")),
		element("template", nil, element("a", []string{"href", "inert"})),
		&cdp.Node{NodeType: commentNode, NodeValue: "orbweaver-ignore-next-line"}, &cdp.Node{NodeType: commentNode, NodeValue: "another"},
		element("img", []string{"src", "i"}))))
}

func TestSnapshot(t *testing.T) {
	var r Rendered
	if err := r.take(sample()); err != nil {
		t.Fatal(err)
	}
	const want = `<html
><body
><a
 href="/a?b&amp;&quot;c&quot;&#10;d">&lt;1&gt; &amp;</a><div
 id="7:x"><p
 id="in"><a
 href="shadow"></a></p><a
 href="top"></a><a
 href="light"></a></div><input
 value="v"><linearGradient
></linearGradient><p
 id="twice"></p><p
 id="twice"></p><script
></script><style
>a{} <\/style><b></style><template
></template><!--orbweaver-ignore-next-line--><img
 src="i"></body></html>`
	if got := string(r.HTML); got != want {
		t.Errorf("HTML is\n%s\nwant\n%s", got, want)
	}
	lines := strings.Split(want, "\n")
	for mark, selector := range map[string]string{
		"/a": "html > body:nth-of-type(1) > a:nth-of-type(1)", "7:x": `#\37 \:x`, "shadow": `#\37 \:x >>> #in > a:nth-of-type(1)`,
		"top": `#\37 \:x >>> a:nth-of-type(1)`, "light": `#\37 \:x > a:nth-of-type(1)`, `"i"`: "html > body:nth-of-type(1) > img:nth-of-type(1)",
	} {
		for i, line := range lines {
			if strings.HasPrefix(line, " ") && strings.Contains(strings.SplitN(line, ">", 2)[0], mark) && !strings.Contains(line, "in\"") {
				if got := r.Selector(i + 1); got != selector {
					t.Errorf("line %d (%s) has the selector %s, want %s", i+1, line, got, selector)
				}
			}
		}
	}
	if r.Empty || r.Selector(0) != "" || r.Selector(1000) != "" || r.Base != "http://a.example/" {
		t.Error("the page is empty, or has selectors for elements that it has not")
	}
	if err := r.take(document(element("html", nil, element("title", nil, text("t")), element("script", nil, text("x")), text(" \n")))); err != nil || !r.Empty {
		t.Errorf("a page without content is not empty: %v", err)
	}
}

func TestEscapeCSS(t *testing.T) {
	for in, want := range map[string]string{"a": "a", "1a": `\31 a`, "-1": `-\31 `, "-": `\-`, "a b": `a\ b`, "a.b:c": `a\.b\:c`, "\x01": `\1 `, "é_-9": "é_-9", "\x00": "\uFFFD", "#": `\#`} {
		if got := escapeCSS(in); got != want {
			t.Errorf("escapeCSS(%q) = %s, want %s", in, got, want)
		}
	}
}

// FuzzSnapshot reads any document: a page may be hostile, and a browser may have faults.
func FuzzSnapshot(f *testing.F) {
	for _, root := range []*cdp.Node{sample(), document(nil), document(element("a b", []string{"odd"}, nil, text("\x00\n")))} {
		b, err := jsonv2.Marshal(root, chromedp.DefaultMarshalOptions)
		if err != nil {
			f.Fatal(err)
		}
		f.Add([]byte(b))
	}
	f.Add([]byte(`{"nodeType":9,"children":[{"nodeType":1,"localName":"x","attributes":["id","\n"],"shadowRoots":[null,{"nodeType":11,"children":[{"nodeType":9,"children":[{"nodeType":1,"localName":"y"}]}]}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var root cdp.Node
		var r Rendered
		if jsonv2.Unmarshal(data, &root, chromedp.DefaultUnmarshalOptions) != nil || r.take(&root) != nil {
			return
		}
		if lines := strings.Count(string(r.HTML), "\n"); lines != len(r.selectors.elements) {
			t.Errorf("%d elements are on %d lines", len(r.selectors.elements), lines)
		}
		for i := range r.selectors.elements {
			if r.Selector(i+2) == "" {
				t.Errorf("element %d has no selector", i)
			}
		}
	})
}
