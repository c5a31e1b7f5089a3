package extract

import (
	"fmt"
	"strings"
	"testing"
)

// namesOf lists the cross-references of a document: the role, the place and the name.
func namesOf(doc *Document) string {
	var all []string
	for _, c := range doc.CrossReferences {
		all = append(all, fmt.Sprintf("%s %d:%d %s", [...]string{"name", "doc", "ref", "file"}[c.Role], c.Line, c.Column, c.Ref))
	}
	return strings.Join(all, "; ")
}

func TestRSTNames(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		// A name without a target
		{"See missing_ and `no such`_.", "name 1:5 missing_; name 1:18 `no such`_"},
		{"See Missing_.\n\n.. _missing: url", ""},
		{"See `a  b`_.\n\n.. _A B: url", ""},
		{"See x_.\n\n.. _`x`:", ""},
		{"See x_ and _`x`.", ""},
		{"`x <url>`_ and x_.", ""},
		{"Title\n=====\n\nSee `title`_.", ""},
		{"See label_ and cit_.\n\n.. [#label] note\n.. [cit] source", ""},
		{".. contents:: The List\n\nSee `the list`_, Contents_.", ""},
		{".. figure:: x.png\n   :name: fig\n\nSee fig_.", ""},
		{"See x__ and `x`__ and [x]_ and [1]_.", ""},
		{"A snake_case word, __init__, a\\_ and ``x_`` and *x_*.", ""},
		{"http://host/x_ and x_/y, file_name_x.", ""},
		{"text::\n\n   x_ `y`_ |z|", ""},
		{".. code-block:: py\n\n   x_\n\nx_", "name 5:1 x_"},
		{".. unknown:: x_\n\n   y_\n\n   z_\n", ""},
		{".. note:: x_\n\n   y_", "name 1:11 x_; name 3:4 y_"},
		{".. function:: f(type_)\n\n   x_", ""},
		{".. py:function:: f(type_)\n\n   x_", "name 3:4 x_"},
		{"| x_\n| y_", ""},
		{":field: x_", ""},
		{":doc:`a`, x_", "doc 1:7 a; name 1:11 x_"},
		{"+----+\n| x_ |\n+----+", ""},
		{".. include:: x.txt\n\nx_", ""},
		{".. a comment with x_", ""},
		{"{% for type_ in types %}\n\n{% endfor %}", ""},
		// A substitution without a definition
		{"Use |name|, not |Other|.\n\n.. |other| replace:: x", "name 1:5 |name|"},
		{"|version| and |release| of |today|", ""},
		{"a || b, |a + b| and |x", ""},
		{"|img|_ and |img2|\n\n.. |img2| image:: x.png", "name 1:1 |img|"},
		// Roles
		{":doc:`a/b` and :doc:`text </c>`, :std:doc:`d`", "doc 1:7 a/b; doc 1:28 /c; doc 1:44 d"},
		{":ref:`A label` and :ref:`text <b>` and :std:ref:`c`", "ref 1:7 A label; ref 1:32 b; ref 1:50 c"},
		{":ref:`!x` :py:ref:`x` :external:ref:`x` :doc:`inv:x` :xdoc:`y` ``:doc:`z```", ""},
		{":download:`a.zip` :download:`text </b.zip>`", "file 1:36 /b.zip"},
		{".. toctree::\n   :maxdepth: 1\n\n   a\n   Title <b/c>\n   self\n   d*\n   https://host/\n   .. comment\n\nText", "doc 4:4 a; doc 5:11 b/c"},
		{".. only:: html\n\n   .. toctree::\n\n      a\n\n:doc:`x`", "doc 5:7 a; doc 7:7 x"},
	} {
		doc := Extract(Input{Name: "a.rst", Body: []byte(c.body)})
		if got := namesOf(doc); got != c.want {
			t.Errorf("%q: got %s, want %s", c.body, got, c.want)
		}
		if only := Extract(Input{Name: "a.rst", Body: []byte(c.body), AnchorsOnly: true}); len(only.CrossReferences) > 0 {
			t.Errorf("%q: cross-references of anchors only: %s", c.body, namesOf(only))
		}
	}
	if doc := Extract(Input{Name: "a.rst", Body: []byte(strings.Repeat("missing_ ", 2*maxUndefined))}); len(doc.CrossReferences) != maxUndefined {
		t.Errorf("got %d names, want %d", len(doc.CrossReferences), maxUndefined)
	}
	near := Extract(Input{Name: "a.rst", Body: []byte("See instalation_.\n\n.. _installation: url\n")})
	if got, want := near.CrossReferences[0].Flaw.Cause, "readers see an error: nothing defines instalation_, did you mean installation?"; got != want {
		t.Errorf("cause: got %s, want %s", got, want)
	}
}

func TestMySTRoles(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{"{doc}`a/b`, {doc}`text </c>` and {ref}`A label`, {download}`/x.zip`", "doc 1:7 a/b; doc 1:25 /c; ref 1:40 A label; file 1:61 /x.zip"},
		{"{py:func}`a`, {any}`b`, `c`, {doc} `d`", ""},
		{"```{toctree}\n---\nmaxdepth: 1\n---\na\nTitle <b/c>\n:hidden:\n\nself\nd*\n```\n", "doc 5:1 a; doc 6:8 b/c"},
		{"> ```{toctree}\n> a\n> ```\n", "doc 2:3 a"},
		{"```\n{doc}`a`\n```\n", ""},
		{"<!-- orbweaver-ignore-next-line -->\n{doc}`a`", "doc 2:7 a"},
	} {
		if got := namesOf(Extract(Input{Name: "a.md", Body: []byte(c.body)})); got != c.want {
			t.Errorf("%q: got %s, want %s", c.body, got, c.want)
		}
	}
	if doc := Extract(Input{Name: "a.md", Body: []byte("<!-- orbweaver-ignore-next-line -->\n{doc}`a`")}); !doc.CrossReferences[0].Ignored {
		t.Error("a role in a line to be ignored: not ignored")
	}
}

// FuzzCrossReferences checks that cross-references are where they say.
func FuzzCrossReferences(f *testing.F) {
	for _, body := range []string{
		"See missing_ and `no such`_, |x|, :doc:`a <b>`, :ref:`c`\n\n.. toctree::\n\n   a\n   b <c>\n", "{doc}`a <b>` {ref}`é`\n\n```{toctree}\na\nT <b>\n```\n",
		".. note:: x_\n\n   |y| `z\n   z`_\n", "x_\r\ny_\r`é`_", "> :doc:`a`\n", "_`x` `y <z>`_ ``",
	} {
		f.Add([]byte(body), true)
		f.Add([]byte(body), false)
	}
	f.Fuzz(func(t *testing.T, body []byte, rst bool) {
		name := map[bool]string{true: "a.rst", false: "a.md"}[rst]
		doc := Extract(Input{Name: name, Body: body, ContentType: "text/plain; charset=utf-8"})
		doc.Links = nil
		for i := range doc.CrossReferences {
			doc.Links = append(doc.Links, doc.CrossReferences[i].Link)
		}
		text, _ := decode(body, "text/plain; charset=utf-8", textCharset)
		checkPlaces(t, text, doc)
	})
}
