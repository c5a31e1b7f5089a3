package extract

import "testing"

// TestSrcset covers what the standard's own cases do not. A candidate that browsers ignore
// is followed by an exclamation mark.
func TestSrcset(t *testing.T) {
	for in, want := range map[string]string{
		"":                                  "",
		" , ,":                              "",
		"a,":                                "a",
		"a,,,b":                             "a,,,b",
		"a, ,b 2x,c":                        "a b c",
		"a 99999999999999999999w":           "a",
		"a 1e999x, b -1x, c 1x 2x":          "a b! c!",
		"a 1w 2h, b 2h, c w, d x, e 1.x":    "a b! c! d! e!",
		"a (b, c) 1x, d 1x":                 "a! d",
		"a 1x(b, c d 1x":                    "a!",
		"\n a\t1x\f,\r\n  b":                "a b",
		"data:image/png;base64,AA== 1x, b":  "data:image/png;base64,AA== b",
		"https://e/w=1,h=2/a.png, b, c 10w": "https://e/w=1,h=2/a.png b c",
	} {
		got := ""
		set := srcset{in: []byte(in)}
		for c, ok := set.next(); ok; c, ok = set.next() {
			if got != "" {
				got += " "
			}
			got += in[c.url.start:c.url.end]
			if c.ignored {
				got += "!"
			}
		}
		if got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// FuzzSrcset checks that the parser terminates, and that its candidates are in ascending
// order and contain no white space.
func FuzzSrcset(f *testing.F) {
	for _, c := range standardCases[struct{ Input string }](f, "srcset.json") {
		f.Add([]byte(c.Input))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		set := srcset{in: in}
		last := 0
		for c, ok := set.next(); ok; c, ok = set.next() {
			if c.url.start < last || c.url.end <= c.url.start || c.url.end > len(in) {
				t.Fatalf("%q: %v after %d", in, c.url, last)
			}
			last = c.url.end
			for _, b := range in[c.url.start:c.url.end] {
				if isSpace(b) {
					t.Fatalf("%q: white space in %q", in, in[c.url.start:c.url.end])
				}
			}
		}
	})
}
