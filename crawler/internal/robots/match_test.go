package robots

import (
	"strings"
	"testing"
)

func TestRobotsNormalize(t *testing.T) {
	tests := []struct{ in, want string }{
		{"/plain/path?q=1&r=a;b", "/plain/path?q=1&r=a;b"},
		{"/%62%61%7A", "/baz"},
		{"/%7ea", "/~a"},
		{"/a%2fb", "/a%2Fb"},
		{"/ü", "/%C3%BC"},
		{"/%c3%bc", "/%C3%BC"},
		{"/a b|c", "/a%20b%7Cc"},
		{"/a%", "/a%"},
		{"/a%4", "/a%4"},
		{"/a%zz", "/a%zz"},
		{"/a%4g%41", "/a%4gA"},
		{"/*$'", "/%2A%24%27"},
		{"/%2a%24%27", "/%2A%24%27"},
		{"/\x00\xff", "/%00%FF"},
	}
	for _, tt := range tests {
		if got := normalize(tt.in); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.in, got, tt.want)
		}
	}
}

// TestRobotsMatchIsLinear uses patterns with which a matcher based on regular
// expressions or recursion would try every combination and never end.
func TestRobotsMatchIsLinear(t *testing.T) {
	path := "/" + strings.Repeat("a", 1<<20)
	for _, pattern := range []string{
		"/" + strings.Repeat("*a", 1<<16) + "*b$",
		"/" + strings.Repeat("*a*", 1<<16) + "b",
		"/" + strings.Repeat("*", 1<<16) + "b",
		"/*" + strings.Repeat("a", 1<<16) + "b*c",
	} {
		rule := newRule(false, pattern)
		if rule.match(path) {
			t.Errorf("%.20s… matches", pattern)
		}
	}
}

// matchRobotsSlowly implements the definition: it tries every length for every "*".
func matchRobotsSlowly(pattern, path string) bool {
	switch {
	case pattern == "":
		return true
	case pattern == "$":
		return path == ""
	case pattern[0] == '*':
		for i := range len(path) + 1 {
			if matchRobotsSlowly(pattern[1:], path[i:]) {
				return true
			}
		}
		return false
	}
	return path != "" && path[0] == pattern[0] && matchRobotsSlowly(pattern[1:], path[1:])
}

func FuzzRobotsRule(f *testing.F) {
	for _, pattern := range []string{"/a*b$", "/*", "*.gif$", "/a**b", "/a*", "/ab*ba$", "$", "/a*b*c"} {
		for _, path := range []string{"/", "/ab", "/aba", "/acb", "/x.gif", "/abcbc"} {
			f.Add(pattern, path)
		}
	}
	f.Fuzz(func(t *testing.T, pattern, path string) {
		// Only letters that normalization does not change, and few stars, because the
		// slow matcher takes exponential time.
		const letters = "/abc"
		if pattern == "" || len(pattern) > 20 || len(path) > 30 || strings.Count(pattern, "*") > 4 ||
			strings.Trim(pattern, letters+"*$") != "" || strings.Trim(path, letters) != "" ||
			strings.Contains(strings.TrimSuffix(pattern, "$"), "$") {
			return
		}
		rule := newRule(false, pattern)
		if pattern[0] != '/' && pattern[0] != '*' {
			pattern = "/" + pattern
		}
		if got, want := rule.match(path), matchRobotsSlowly(pattern, path); got != want {
			t.Errorf("%q on %q: %v, want %v", pattern, path, got, want)
		}
		if rule.octets != len(pattern) {
			t.Errorf("%q has %d octets, want %d", pattern, rule.octets, len(pattern))
		}
	})
}
