package report

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

// checkJSONString compares AppendJSONString with encoding/json.
func checkJSONString(t *testing.T, s string) {
	t.Helper()
	out := AppendJSONString(nil, s)
	var got string
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%q: %s: %v", s, out, err)
	}
	plain, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var want string
	if err := json.Unmarshal(plain, &want); err != nil {
		t.Fatal(err)
	}
	if got != want {
		t.Fatalf("%q: got %q, want %q", s, got, want)
	}
	if !utf8.Valid(out) || strings.ContainsFunc(string(out), invisible) {
		t.Fatalf("%q: %q is not fit to be seen", s, out)
	}
	if strings.Contains(string(out), "##[") || strings.Contains(string(out), "##vso[") {
		t.Fatalf("%q: %s holds a command", s, out)
	}
}

func TestJSONString(t *testing.T) {
	for _, s := range hostile {
		checkJSONString(t, s)
	}
	for r := range rune(0x3000) {
		checkJSONString(t, string(r))
	}
	for _, test := range []struct{ in, want string }{
		{"", `""`},
		{`a"b\c/d`, `"a\"b\\c/d"`},
		{"\n\r\t\b", `"\n\r\t\u0008"`},
		{"<a>&é日👩‍👧", `"<a>&é日👩‍👧"`},
		{"\u202e\U000e0041\ufffd\xff", `"\u202e\udb40\udc41` + "\ufffd\ufffd" + `"`},
		{"##vso[x] ###[y] #[", `"\u0023#vso[x] #\u0023#[y] #["`},
	} {
		if got := string(AppendJSONString(nil, test.in)); got != test.want {
			t.Errorf("%q: got %s, want %s", test.in, got, test.want)
		}
	}
}

func FuzzJSONString(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	f.Fuzz(checkJSONString)
}

func TestJSONEncoderLayout(t *testing.T) {
	for _, test := range []struct {
		compact bool
		want    string
	}{
		{false, "{\n  \"a\": [],\n  \"b\": [\n    {\"c\": 1, \"d\": true},\n    {}\n  ],\n  \"e\": {}\n}\n"},
		{true, `{"a":[],"b":[{"c":1,"d":true},{}],"e":{}}` + "\n"},
	} {
		var out strings.Builder
		j := jsonEncoder{w: &out, compact: test.compact}
		j.object()
		j.key("a").array()
		j.end()
		j.key("b").array()
		j.row()
		j.key("c").int(1)
		j.key("d").bool(true)
		j.end()
		j.row()
		j.end()
		j.end()
		j.key("e").object()
		j.end()
		j.end()
		if err := j.finish(); err != nil {
			t.Fatal(err)
		}
		if out.String() != test.want {
			t.Errorf("got:\n%s\nwant:\n%s", out.String(), test.want)
		}
	}
}

func TestJSONEncoderKeepsItsFirstError(t *testing.T) {
	full := errors.New("no space left on device")
	w := &failingWriter{n: jsonBuffer * 2, err: full}
	j := jsonEncoder{w: w}
	j.array()
	for range 10 * jsonBuffer {
		j.row()
		j.end()
		if cap(j.buf) > 4*jsonBuffer {
			t.Fatal("the buffer grows")
		}
	}
	if err := j.flush(); err != full {
		t.Errorf("got %v", err)
	}
}
