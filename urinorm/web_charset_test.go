package urinorm

import "testing"

func TestQueryCharsetCorpus(t *testing.T) {
	for _, c := range webCorpus(t, "web-query-charset") {
		switch c.Op {
		case "resolve":
			u, _, err := resolveWeb(c)
			if err != nil || u.String() != c.Expect {
				t.Errorf("%s: %q in %s: got %q, %v, want %q", c.ID, c.Input, c.Charset, u, err, c.Expect)
			}
		case "query-encode":
			encoder, ok := charsetEncoderOf(c.Charset)
			if !ok {
				t.Errorf("%s: unknown charset %q", c.ID, c.Charset)
				continue
			}
			p := webParser{kind: schemeHTTP, charset: encoder}
			p.query(c.Input)
			if string(p.dst) != c.Expect {
				t.Errorf("%s: %q in %s: got %q, want %q", c.ID, c.Input, c.Charset, p.dst, c.Expect)
			}
		default:
			t.Errorf("%s: unknown op %q", c.ID, c.Op)
		}
	}
}

// Cases in which the encoders of x/text differ from the standard.
func TestCharsetCorrections(t *testing.T) {
	for _, c := range []struct{ charset, in, want string }{
		{"big5", "À", "%26%23192%3B"},                            // Hong Kong extension only
		{"big5", "╭", "%A2~"},                                    // the first of two codes
		{"big5", "═十", "%F9%F9%A4Q"},                             // the last of two codes
		{"euc-jp", "¡", "%26%23161%3B"},                          // JIS X 0212 only
		{"euc-jp", "¥‾−ｱ", "\\~%A1%DD%8E%B1"},                    //
		{"shift_jis", "¥‾−ｱ", "\\~%81|%B1"},                      //
		{"shift_jis", "\u0080ⅰ仡", "%80%FA@%FAi"},                 // IBM's rows
		{"shift_jis", "ソ表", "%83\\%95\\"},                        // trail bytes that are ASCII
		{"iso-2022-jp", "日aｱ−", "%1B$BF|%1B(Ba%1B$B%%22!]%1B(B"}, //
		{"iso-2022-jp", "¥a~¥", "%1B(J\\a%1B(B~%1B(J\\%1B(B"},
		{"iso-2022-jp", "日\x1b☃", "%1B$BF|%1B(B%26%2365533%3B%26%239731%3B"},
		{"gbk", "€\ue5e5", "%80%26%2358853%3B"},
		{"gbk", "ḿ\ue000龴\ufe10😀", "%A8%BC%AA%A1%FEY%A6%D9%26%23128512%3B"},
		{"gb18030", "€\ue7c7\ue78d😀", "%A2%E3%815%F47%A6%D9%949%FC6"},
		{"windows-1252", "\u0081€", "%81%80"}, // a C1 control
		{"iso-8859-8-i", "א\u0080", "%E0%80"},
		{"x-user-defined", "\uf780é", "%80%26%23233%3B"},
		{"utf-16le", "é", "%C3%A9"},
	} {
		u, _, err := mustBase(t, "https://h/", c.charset).Resolve("?" + c.in)
		if err != nil {
			t.Errorf("%q in %s: %v", c.in, c.charset, err)
			continue
		}
		if got, _ := u.Query(); got != c.want {
			t.Errorf("%q in %s: got %q, want %q", c.in, c.charset, got, c.want)
		}
	}
}

// The charset of the page applies only to queries of some schemes.
func TestCharsetCountsInQueriesOnly(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"http://h/é?é#é", "http://h/%C3%A9?%E9#%C3%A9"},
		{"ftp://h/?é", "ftp://h/?%E9"},
		{"file:///?é", "file:///?%E9"},
		{"ws://h/?é", "ws://h/?%C3%A9"},
		{"wss://h/?é", "wss://h/?%C3%A9"},
		{"foo:?é", "foo:?%C3%A9"},
		{"mailto:a@b?é", "mailto:a@b?%C3%A9"},
	} {
		u, _, err := mustBase(t, "http://h/", "windows-1252").Resolve(c.in)
		if err != nil || u.String() != c.want {
			t.Errorf("%q: got %q, %v, want %q", c.in, u, err, c.want)
		}
	}
}
