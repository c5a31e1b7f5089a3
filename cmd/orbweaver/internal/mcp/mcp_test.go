package mcp

import (
	"bufio"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestClean tests that what nobody sees is removed from texts of strangers, and that passwords are hidden.
func TestClean(t *testing.T) {
	for text, want := range map[string]string{
		"plain ü 日本": "plain ü 日本", "a\x00b\x1b[31mc": "ab[31mc", "a\u202eb\u2066c": "abc", "a\u200bb\ufeffc\u2060d": "abcd",
		"x\U000E0041\U000E007Fy": "xy", "line\nbreak\ttab\r": "line break tab ", "bad\xffbyte": "bad\uFFFDbyte", "soft\u00adhyphen": "softhyphen",
		"see http://u:secret@a.test/x": "see http://u:***@a.test/x",
	} {
		if got := clean(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if text, is := cut(strings.Repeat("日", 201), 200); !is || utf8.RuneCountInString(text) != 200 || !strings.HasSuffix(text, "日…") {
		t.Errorf("%v %s", is, text)
	}
	if text, is := cut(strings.Repeat("日", 200), 200); is || text != strings.Repeat("日", 200) {
		t.Errorf("%v %s", is, text)
	}
}

// TestFitItems tests that items that are larger than an answer become shorter, and that each page
// has one at least.
func TestFitItems(t *testing.T) {
	long := strings.Repeat("日", 5000)
	item := func(_, length int) any {
		text, _ := cut(long, length)
		return map[string]any{"a": text, "b": text}
	}
	answer := map[string]any{}
	n, err := fitItems(answer, leastAnswer, 10, 10, item)
	text, _ := encode(answer)
	if err != nil || n != 1 || len(text) > leastAnswer {
		t.Errorf("%d items in %d bytes, %v", n, len(text), err)
	}
	if n, err = fitItems(answer, mostAnswer, 7, 10, item); err != nil || n != 7 {
		t.Errorf("%d items, %v", n, err)
	}
}

// FuzzLine tests that a line is a message or is answered, whatever it contains.
func FuzzLine(f *testing.F) {
	for _, seed := range []string{"", "{}", "[]", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","method":"x"}`, `{"jsonrpc":"2.0","id":null,"result":{}}`, "\xff", `{"jsonrpc":"2.0","id":{},"method":3}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		line, tooLong, _ := readLine(bufio.NewReaderSize(strings.NewReader(text), 16))
		if tooLong {
			t.Fatal("too long")
		}
		if len(strings.TrimSpace(string(line))) == 0 {
			return
		}
		if message, code, why := decode(line, false); (message == nil) == (code == 0 || why == "") {
			t.Errorf("%q: %v %d %q", line, message, code, why)
		}
	})
}

// FuzzArguments tests that arguments are read or refused by their table.
func FuzzArguments(f *testing.F) {
	table := []argument{{name: "t", kind: Text, required: true}, {name: "w", kind: Text, words: []string{"a", "b"}}, {name: "n", kind: Whole, least: 1, most: 9},
		{name: "s", kind: Switch}, {name: "l", kind: Texts, least: 1, most: 2}, {name: "o", kind: Members, members: []argument{{name: "x", kind: Text, number: true}}}}
	for _, seed := range []string{`{"t":"x"}`, `{"t":"x","n":3,"o":{"x":4},"l":["a"]}`, `{}`, `null`, `3`, `{"t":1}`, `{"t":"x","n":1e9}`, `{"t":"x","tt":1}`, `{"t":"x","o":{"x":1.5}}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := readArguments(json.RawMessage(text), table)
		if err != nil {
			if err.Error() == "" {
				t.Error("no reason")
			}
			return
		}
		if n := a.number("n", 5); n < 1 || n > 9 || len(a.texts("l")) > 2 {
			t.Errorf("%s: %v", text, a)
		}
		if w := a.text("w"); w != "" && w != "a" && w != "b" {
			t.Errorf("%s: %s", text, w)
		}
	})
}
