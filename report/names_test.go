package report

import (
	"math/rand/v2"
	"path"
	"strings"
	"testing"
)

// TestFromRoot: a name outside the working directory becomes the path that package path joins.
func TestFromRoot(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	pick := func(most int, of ...string) string {
		var b strings.Builder
		for range random.IntN(most + 1) {
			b.WriteString(of[random.IntN(len(of))])
		}
		return b.String()
	}
	for range 100_000 {
		dir := pick(1, "C:") + path.Clean("/"+pick(4, "a/", "b/", ".c/"))
		name := "../" + pick(3, "../") + pick(5, "a", "b/", "/", ".", "..", "./", "#", "?", "é")
		file, fragment, has := strings.Cut(name, "#")
		want := path.Join(dir, file)
		if strings.HasSuffix(file, "/") {
			want += "/"
		}
		if has {
			want += "#" + fragment
		}
		if got := fromRoot(dir, name); got != want {
			t.Fatalf("fromRoot(%q, %q): got %q, want %q", dir, name, got, want)
		}
	}
	if got := fromRoot("", "../a"); got != "../a" {
		t.Errorf("without a directory: got %q, want the name", got)
	}
}
