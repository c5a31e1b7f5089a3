package strictjson

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	for text, want := range map[string]string{
		`{}`: "", `[1, "a", {"b": null}]`: "", ` 1 `: "", `"x"`: "",
		``: "unexpected EOF", `{`: "unexpected EOF", `{"a": 1,}`: "invalid", `{} {}`: "follows", `{} x`: "follows", `{"a": 1, "a": 2}`: "twice", `[{"a": {"b": 1, "b": 2}}]`: "twice",
		`{"a": 1, "\u0061": 2}`: "twice", "\"\xff\"": "UTF-8", `'a'`: "invalid", "\ufeff{}": "invalid",
	} {
		err := Check(t.Context(), []byte(text))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

func TestLimits(t *testing.T) {
	members := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `%s"%d": 0`, map[bool]string{true: ","}[i > 0], i)
		}
		return "{" + b.String() + "}"
	}
	elements := func(n int) string { return "[" + strings.Repeat("0,", n-1) + "0]" }
	nested := func(n int, inner string) string { return strings.Repeat("[", n) + inner + strings.Repeat("]", n) }
	for name, row := range map[string]struct{ text, want string }{
		"64 levels":               {nested(64, ""), ""},
		"65 levels":               {nested(65, ""), "deeper than 64 levels"},
		"65 levels, with objects": {nested(64, "{}"), "deeper than 64 levels"},
		"10,100 elements":         {elements(10_100), ""},
		"10,101 elements":         {elements(10_101), "more than 10100 elements"},
		"10,101 of two arrays":    {`{"a": ` + elements(5_000) + `, "b": ` + elements(5_101) + "}", "more than 10100 elements"},
		"60,000 members":          {members(60_000), ""},
		"a long name twice":       {`{"` + strings.Repeat("x", 1000) + `": 0, "` + strings.Repeat("x", 1000) + `": 0}`, strings.Repeat("x", 200) + `…" occurs twice`},
	} {
		err := Check(t.Context(), []byte(row.text))
		if row.want == "" && err != nil || row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)) {
			t.Errorf("%s: %v, want %q", name, err, row.want)
		}
	}
}

// A text that is deeper than allowed, or has too many elements, costs nothing for the rest of it.
func TestCheckAllocatesLittle(t *testing.T) {
	for _, part := range []string{"[", `{"a":`, "[[],"} {
		text := bytes.Repeat([]byte(part), (1<<20)/len(part))
		n := testing.AllocsPerRun(3, func() {
			if Check(t.Context(), text) == nil {
				t.Errorf("1 MiB of %s is accepted", part)
			}
		})
		if n > 1000 {
			t.Errorf("1 MiB of %s: %.0f allocations, want at most 1000", part, n)
		}
	}
	text := []byte(`"` + strings.Repeat("x", 1<<20) + `"`)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := Check(t.Context(), text); err != nil {
		t.Error(err)
	}
	runtime.ReadMemStats(&after)
	if size := after.TotalAlloc - before.TotalAlloc; size > 10<<20 {
		t.Errorf("a string of 1 MiB: %d bytes are allocated, want at most 10 MiB", size)
	}
}

func TestCheckEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Check(ctx, []byte(`{"a": [1, 2, 3]}`)); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the context: %v", err)
	}
}

// FuzzCheck holds that what is accepted can be read, with each member once.
func FuzzCheck(f *testing.F) {
	for _, seed := range []string{`{}`, `{"a": [1, {"b": null}], "c": "\ud800"}`, `{"a": 1, "a": 2}`, `[[[[`, `{"a": 1} x`, "\xff", `1e999`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if Check(t.Context(), text) != nil {
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
