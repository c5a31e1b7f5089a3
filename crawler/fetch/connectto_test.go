package fetch

import "testing"

// Users write hosts in any spelling; connections use the normalized host.
func TestConnectToKnowsHosts(t *testing.T) {
	for _, test := range []struct{ rule, asked, want string }{
		{"bücher.example:443:127.0.0.1:8443", "xn--bcher-kva.example:443", "127.0.0.1:8443"},
		{"BÜCHER.example:443:127.0.0.1:8443", "xn--bcher-kva.example:443", "127.0.0.1:8443"},
		{"xn--bcher-kva.example:443:127.0.0.1:8443", "xn--bcher-kva.example:443", "127.0.0.1:8443"},
		{"Example.com::[::1]:", "example.com:80", "[::1]:80"},
		{"[::1]:80:127.0.0.1:81", "[::1]:80", "127.0.0.1:81"},
		{":80::81", "any.example:80", "any.example:81"},
		{"a.example:80:127.0.0.1:81", "b.example:80", "b.example:80"},
	} {
		rule, err := ParseConnectTo(test.rule)
		if err != nil {
			t.Errorf("%s: %v", test.rule, err)
			continue
		}
		compiled, err := rule.compile()
		if err != nil {
			t.Errorf("%s: %v", test.rule, err)
		}
		if got := redirectConnection([]connectTo{compiled}, test.asked); got != test.want {
			t.Errorf("%s leads %s to %s, want %s", test.rule, test.asked, got, test.want)
		}
	}
}
