package strictjson

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	for text, want := range map[string]string{
		`{}`: "", `[1, "a", {"b": null}]`: "", ` 1 `: "", `"x"`: "",
		``: "unexpected EOF", `{`: "unexpected EOF", `{"a": 1,}`: "invalid", `{} {}`: "follows", `{} x`: "follows", `{"a": 1, "a": 2}`: "twice", `[{"a": {"b": 1, "b": 2}}]`: "twice",
		`{"a": 1, "\u0061": 2}`: "twice", "\"\xff\"": "UTF-8", `'a'`: "invalid", "\ufeff{}": "invalid",
	} {
		err := Check([]byte(text))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// FuzzCheck holds that what is accepted can be read, with each member once.
func FuzzCheck(f *testing.F) {
	for _, seed := range []string{`{}`, `{"a": [1, {"b": null}], "c": "\ud800"}`, `{"a": 1, "a": 2}`, `[[[[`, `{"a": 1} x`, "\xff", `1e999`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if Check(text) != nil {
			return
		}
		if !json.Valid(text) {
			t.Fatalf("%q is accepted", text)
		}
		members, err := Members(text)
		if err != nil {
			return // it is not an object
		}
		seen := map[string]bool{}
		for _, m := range members {
			if seen[m.Name] || !json.Valid(m.Value) {
				t.Fatalf("%q: the member %q", text, m.Name)
			}
			seen[m.Name] = true
		}
	})
}
