package csssyntax

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// found lists faults as "rule@offset", in the order of their places.
func found(c *Checker, css string, listOnly bool) string {
	var faults []Fault
	c.check([]byte(css), listOnly, func(f Fault) { faults = append(faults, f) })
	slices.SortStableFunc(faults, func(a, b Fault) int { return a.Offset - b.Offset })
	var list []string
	for _, f := range faults {
		list = append(list, fmt.Sprintf("%s@%d", f.Rule, f.Offset))
	}
	return strings.Join(list, " ")
}

var sheets = []struct{ name, css, want string }{
	{"strings", "p{content:\"a\n;color:red}", "bad-string@10"},
	{"string to the end", `p{content:"a}`, "unclosed-block@1 unclosed-string@10"},
	{"string with line breaks escaped", "p{content:\"a\\\nb\\\r\nc\\\fd\"}", ""},
	{"string with quotation marks", `p{content:"it's \" \"" '"'}`, ""},
	{"backslash at the end of a string", `@import "a\`, "unclosed-string@8"},
	{"carriage return in a string", "@import 'a\r;", "bad-string@8"},

	{"url with white space", "p{a:url(b c)}", "bad-url@4"},
	{"url with a quotation mark", "p{a:url(b'c)}", "bad-url@4"},
	{"url with a parenthesis", "p{a:url(b(c)}", "bad-url@4"},
	{"url with a control character", "p{a:url(b\x01c)}", "bad-url@4"},
	{"url with a deletion", "p{a:url(b\x7Fc)}", "bad-url@4"},
	{"url with a backslash", "p{a:url(b\\\nc)}", "bad-url@4"},
	{"url with escapes", `p{a:url(b\ \(\)\'\27 c\
)}`, "bad-url@4"},
	{"url with only escapes", `p{a:url(b\ \(\)\'\27 c)}`, ""},
	{"url with NUL", "p{a:url(b\x00c)}", ""},
	{"broken url with an escaped parenthesis", `p{a:url(b c\)d)}`, "bad-url@4"},
	{"broken url to the end", "p{a:url(b c;}", "unclosed-block@1 bad-url@4"},
	{"url to the end", "@import url( a.css", "unclosed-url@8"},
	{"url to the end behind white space", "@import url(a.css \n", "unclosed-url@8"},
	{"url surrounded by white space", "p{a:url( \n b\t)}", ""},
	{"url in any case", "p{a:uRL(b c)}", "bad-url@4"},
	{"url in escapes", `p{a:\75 R\4c(b c)}`, "bad-url@4"},
	{"url quoted", `p{a:url( "b c" )}`, ""},
	{"url quoted to the end", `@import url("a.css"`, "unclosed-block@8"},
	{"empty url", "p{a:url()}", ""},
	{"other functions", "p{a:urls(b c) my-url(b c) 1url(b c)}#url(b c){}@url(b c);", ""},
	{"data", "p{a:url(data:image/svg+xml;charset=utf8,%3Csvg%20xmlns=%27http://www.w3.org/2000/svg%27%3E)}", ""},

	{"comment to the end", "p{} /* a", "unclosed-comment@4"},
	{"comment too short", "p{} /*/", "unclosed-comment@4"},
	{"comments", "/**/p/***/{/*}*/}/* /* */", ""},
	{"comments between name and colon", "p{color/**/ /**/:/**/red}", ""},

	{"block to the end", "p{color:red", "unclosed-block@1"},
	{"block to the end in a declaration", "p{color", "unclosed-block@1"},
	{"blocks to the end", "@media print{p{color:rgb(1", "unclosed-block@12 unclosed-block@14 unclosed-block@21"},
	{"block of an outer rule to the end", "@media print{p{color:red}", "unclosed-block@12"},
	{"missing brace before a rule", "p{color:red;q{color:blue}", "unclosed-block@1"},
	{"missing parenthesis in a block", "p{color:rgb(1,2;a:b}q{color:red}r{d}", "unclosed-block@8 missing-colon@34"},
	{"missing square bracket in a block", "p{grid:[a;a:b}", "unclosed-block@7"},
	{"missing parenthesis in a prelude", "a:not(.b{color:red}", "unclosed-block@2"},
	{"square bracket to the end", "a[href", "unclosed-block@1"},

	{"braces too many", "p{}}q{c:d}", "unmatched-bracket@3"},
	{"parenthesis too many", "p{color:rgb(1))}", "unmatched-bracket@14"},
	{"square bracket too many", "a[href]]{}", "unmatched-bracket@7"},
	{"brackets crossed", "p{grid:([)]}", "unclosed-block@7 unmatched-bracket@9"},
	{"brackets in strings and names", `a[b="]"]{c:"}"}.a\}\{\(\)\[\]{}`, ""},

	{"no colon", "p{color red;a:b}", "missing-colon@2"},
	{"no colon in the last declaration", "p{a:b;\n color red }", "missing-colon@8"},
	{"no colon, another colon", "p{color red:blue}", "missing-colon@2"},
	{"name alone", "p{color}", "missing-colon@2"},
	{"name alone in an at-rule", "@font-face{src;}", "missing-colon@11"},
	{"no colon behind a nested rule", "p{a b{c:d}e}", "missing-colon@10"},
	{"no colon in a custom property", "p{--x red;}", "missing-colon@2"},
	{"text behind a sheet", "color:red", ""},

	{"no value", "p{color:;a:b}", "missing-value@2"},
	{"no value but white space and comments", "p{color : /* red */ }", "missing-value@2"},
	{"only important", "p{color: !important}", "missing-value@2"},
	{"only important, spaced and escaped", `p{color: ! IMP\4frtant ;}`, "missing-value@2"},
	{"another exclamation", "p{color: !ie;a:b !ie; c: ! important 1}", ""},
	{"empty custom property", "p{--x:;--y: ;--z:/**/!important}", ""},
	{"custom property in escapes", `p{-\2d x:;\--y:;}`, ""},
	{"descriptors that may be empty", `@property --x{syntax:"*";initial-value:;inherits:false}@function --f(){result:}`, ""},

	{"custom property with a block", "p{--x:{a:b;c};--y:{[{}]} d;--z:a{b}c}", ""},
	{"nesting", "p{color:red;&:hover{a:b}.b &{c:d}>q{e:f}a:hover{g:h}a b,c{i:j}@media print{k:l}m:n}", ""},
	{"nested rule that begins like a declaration", "p{a:b c{d:e}f:g;h:not(.i){j:k}l::before{m:n}}", ""},
	{"nested properties", "p{font:{family:a;size}}", ""},
	{"at-rules", "@charset \"utf-8\";@import url(a) layer(b);@layer a,b;@layer{p{a:b}}@media (min-width:1px) and (max-width:2px){}" +
		"@keyframes a{from{b:c}50.5%{b:d}to{}}@supports (--a:) and (not (b:c)){}@page :first{@top-left{a:b}margin:1in}" +
		"@font-feature-values A{@styleset{a-b:1 2}}@container a style(--b:){}@scope (.a) to (.b){}@namespace svg url(a);" +
		"@custom-selector :--a b,c;@tailwind base;@apply --a;@starting-style{a{b:c}}", ""},
	{"at-rules in blocks", "p{@apply a b;@include c;@media print{d:e}f:g;@layer h{i:j}}", ""},
	{"old hacks", "p{*zoom:1;_height:1px;+a:b;#c:d;filter:progid:DXImageTransform.Microsoft.gradient(startColorstr='#80000000',endColorstr='#0');" +
		"filter:alpha(opacity=50);color:red\\9;width:expression(a ? {b:1;c} : d);behavior:url(#default#VML);-ms-filter:\"a:b\"}", ""},
	{"marks of HTML", "<!-- p{a:b} --> q{c:d} <!--", ""},
	{"mark of HTML in a name", "p{--x:1}a-->b{}", ""},
	{"numbers", "p{a:+.5e-3px -1.5 .5 1e3 1e 1.e3 1e+ +5 -a --b 50% 1.5% #123 U+0025-00FF u+4?? 1-a 1--b;c:d}", ""},
	{"empty items", "p{;;a:b;;};q{}", ""},
	{"templates", "p{color:{{ color }};width:{{ width }}px;{{ more }}}{% if a %}", ""},
	{"byte above ASCII", "é{ü:ö}", ""},
	{"backslashes", "p{a:\\\n;b:\\}", "unclosed-block@1"},
	{"nothing", "", ""},
}

func TestSheet(t *testing.T) {
	var c Checker
	for _, test := range sheets {
		if got := found(&c, test.css, false); got != test.want {
			t.Errorf("%s: %q:\n got %s\nwant %s", test.name, test.css, got, test.want)
		}
	}
}

var attributes = []struct{ name, css, want string }{
	{"declarations", "color:red; *zoom:1; --x:; background:url(a.png) !important", ""},
	{"no colon", "color red", "missing-colon@0"},
	{"no colon in the first", "color; a:b", "missing-colon@0"},
	{"no value", "a:b;color: ", "missing-value@4"},
	{"only important", "color:!important", "missing-value@0"},
	{"brace too many", "color:red}", "unmatched-bracket@9"},
	{"parenthesis to the end", "color:rgb(1", "unclosed-block@6"},
	{"string to the end", `content:"a`, "unclosed-string@8"},
	{"url to the end", "background:url(a", "unclosed-url@11"},
	{"comment to the end", "a:b;/*", "unclosed-comment@4"},
	{"mark of HTML", "<!-- a:b; -->", ""},
	{"template", "{{ style }}", ""},
	{"nothing", " ", ""},
}

func TestDeclarations(t *testing.T) {
	var c Checker
	for _, test := range attributes {
		if got := found(&c, test.css, true); got != test.want {
			t.Errorf("%s: %q:\n got %s\nwant %s", test.name, test.css, got, test.want)
		}
	}
}

func TestEndIsTheSource(t *testing.T) {
	long := strings.Repeat("ä", 150)
	for css, want := range map[string]string{
		"p{color red ;}":         "color red",
		"p{color: \n}":           "color:",
		"p{a:url(b c)}":          "url(b c)",
		"a:b(c":                  "b(",
		"p{a:\"b\nc}":            `"b`,
		"p{}}":                   "}",
		"/*" + long:              "/*" + long[:maxSource-2],
		"/* " + long:             "/* " + long[:maxSource-4],
		"p{a:b}/* not closed   ": "/* not closed   ",
	} {
		var first *Fault
		new(Checker).Sheet([]byte(css), func(f Fault) {
			if first == nil || f.Rule != UnclosedBlock {
				first = &f
			}
		})
		if got := css[first.Offset:first.End]; got != want {
			t.Errorf("%q: source of %s: %q, want %q", css, first.Rule, got, want)
		}
	}
}

// Hostile nesting costs neither memory nor time, and what is nested deeper is still counted.
func TestDepth(t *testing.T) {
	var c Checker
	for _, pair := range []string{"()", "[]", "{}"} {
		deep := strings.Repeat(pair[:1], 10*maxDepth)
		if got := found(&c, deep+";a b;"+strings.Repeat(pair[1:], 10*maxDepth)+"p{a}", false); got != fmt.Sprintf("missing-colon@%d", 20*maxDepth+7) {
			t.Errorf("%s: %s", pair, got)
		}
		if n := strings.Count(found(&c, deep, false), UnclosedBlock); n != maxDepth {
			t.Errorf("%s: %d unclosed blocks, want %d", pair, n, maxDepth)
		}
	}
}

func TestNoAllocations(t *testing.T) {
	var c Checker
	sheet := realSheet(t)
	report := func(Fault) {}
	c.Sheet(sheet, report)
	if n := testing.AllocsPerRun(5, func() { c.Sheet(sheet, report) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// realSheet returns the style sheet of the HTML report, repeated to 1 MB.
func realSheet(tb testing.TB) []byte {
	sheet, err := os.ReadFile("../../../../report/htmlreport/theme.css")
	if err != nil {
		tb.Fatal(err)
	}
	return bytes.Repeat(sheet, 1<<20/len(sheet))
}

func BenchmarkSheet(b *testing.B) {
	sheet := realSheet(b)
	b.SetBytes(int64(len(sheet)))
	b.ReportAllocs()
	var c Checker
	for b.Loop() {
		c.Sheet(sheet, func(Fault) {})
	}
}

func BenchmarkDeclarations(b *testing.B) {
	style := []byte("color: red; background: url(a.png) no-repeat; width: calc(100% - 3px)")
	b.SetBytes(int64(len(style)))
	b.ReportAllocs()
	var c Checker
	for b.Loop() {
		c.Declarations(style, func(Fault) {})
	}
}

// Whatever the text, places are inside it and on characters, messages are there, and closing
// what was open leaves no fault of that kind.
func FuzzSheet(f *testing.F) {
	for _, test := range sheets {
		f.Add(test.css, false)
	}
	for _, test := range attributes {
		f.Add(test.css, true)
	}
	f.Fuzz(func(t *testing.T, css string, listOnly bool) {
		if !utf8.ValidString(css) {
			t.Skip()
		}
		var c Checker
		c.check([]byte(css), listOnly, func(fault Fault) {
			if fault.Offset < 0 || fault.Offset >= fault.End || fault.End > len(css) || fault.End > fault.Offset+maxSource ||
				!utf8.ValidString(css[fault.Offset:fault.End]) || fault.Message == "" {
				t.Errorf("%q: %+v", css, fault)
			}
		})
		if again := found(&c, css, listOnly); again != found(new(Checker), css, listOnly) {
			t.Errorf("%q: a used checker finds %s", css, again)
		}
	})
}
