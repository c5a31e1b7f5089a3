package disk

import (
	"bufio"
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
)

// git runs git in a directory, without the configuration of the machine.
func git(t testing.TB, dir, stdin string, arguments ...string) string {
	t.Helper()
	cmd := exec.Command("git", arguments...)
	cmd.Dir = dir
	cmd.Stdin = strings.NewReader(stdin)
	var out, errors bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errors
	if err := cmd.Run(); err != nil && errors.Len() > 0 {
		t.Fatalf("git %q: %v: %s", arguments, err, errors.String())
	}
	return out.String()
}

// isolate makes git and this package use no configuration but that of the repository
// and of an empty home directory, which it returns.
func isolate(t testing.TB) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git to compare with")
	}
	home := t.TempDir()
	for _, entry := range os.Environ() {
		if name, _, _ := strings.Cut(entry, "="); strings.HasPrefix(name, "GIT_") {
			t.Setenv(name, "")
			os.Unsetenv(name)
		}
	}
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", "")
	return home
}

func write(t testing.TB, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// compare compares what a Ignore and git say about all paths below a directory.
func compare(t *testing.T, dir string) (paths int) {
	t.Helper()
	tree, err := OpenIgnore(dir)
	if err != nil || tree == nil {
		t.Fatalf("%v, %v", tree, err)
	}
	var all []string
	dirs := map[string]bool{}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, path)
		switch {
		case d.Name() == ".git":
			if d.IsDir() {
				return fs.SkipDir
			}
		case rel != ".":
			all = append(all, filepath.ToSlash(rel))
			dirs[filepath.ToSlash(rel)] = d.IsDir()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	ignored := map[string]bool{}
	for path := range strings.SplitSeq(git(t, dir, strings.Join(all, "\x00")+"\x00", "check-ignore", "-z", "--stdin"), "\x00") {
		ignored[path] = true
	}
	for _, path := range all {
		if got := tree.Ignored(path, dirs[path]); got != ignored[path] {
			text := ""
			for _, file := range append(slices.Collect(gitignores(dir)), filepath.Join(dir, ".git/info/exclude")) {
				content, _ := os.ReadFile(file)
				text += fmt.Sprintf("\n%s: %q", strings.TrimPrefix(file, dir), content)
			}
			t.Errorf("%q (directory: %t) is ignored: %t%s\ntracked: %q\ngit: %q", path, dirs[path], got, text, git(t, dir, "", "ls-files"), git(t, dir, path+"\x00", "check-ignore", "-v", "-z", "-n", "--stdin"))
		}
	}
	return len(all)
}

func gitignores(dir string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if d != nil && d.Name() == ".gitignore" && !yield(path) {
				return fs.SkipAll
			}
			return nil
		})
	}
}

var (
	names = []string{"a", "b", "ab", "aab", "a.b", "b.html", "#x", "!n", "a b", "x ", "A", "[z]", "-", "é", "a*b", `a\b`, "]"}
	parts = []string{"a", "b", "ab", "*", "*", "**", "?", "/", "/", "/", ".", "html", "[ab]", "[!a]", "[^a]", "[a-b]", "[[:alpha:]]", "[[:upper:]x]", "[[:nope:]]", "[[:a]",
		`\*`, `\#`, `\!`, "#", "!", " ", `\ `, "**/", "/**", "/**/", "x", "[", "]", "A", "é", "-", `\a`, "[]a]", "[a-]", `\[z]`, `\\`, `\`, "[!]a]", `[\]a]`, "[b-a]", "\t", "\r", "[/]", `[a-\c]`}
)

func randomPattern(r *rand.Rand) string {
	var b strings.Builder
	if r.IntN(4) == 0 {
		b.WriteByte('!')
	}
	if r.IntN(2) == 0 {
		if r.IntN(3) == 0 {
			b.WriteByte('/')
		}
		b.WriteString(names[r.IntN(len(names))])
		if r.IntN(3) == 0 {
			b.WriteString("/" + names[r.IntN(len(names))])
		}
	} else {
		for range 1 + r.IntN(5) {
			b.WriteString(parts[r.IntN(len(parts))])
		}
	}
	if r.IntN(4) == 0 {
		b.WriteByte('/')
	}
	return b.String()
}

func randomPatterns(r *rand.Rand) string {
	var lines []string
	for range 1 + r.IntN(4) {
		lines = append(lines, randomPattern(r))
	}
	end := []string{"\n", "\r\n"}[r.IntN(2)]
	text := strings.Join(lines, end)
	if r.IntN(3) > 0 {
		text += end
	}
	if r.IntN(10) == 0 {
		text = "\ufeff" + text
	}
	return text
}

// TestAgainstGit compares random work trees with what git check-ignore says.
func TestAgainstGit(t *testing.T) {
	home := isolate(t)
	total := 0
	for seed := range crawlertest.Count(40, 1000) {
		r := rand.New(rand.NewPCG(uint64(seed), 7))
		dir := t.TempDir()
		git(t, dir, "", "init", "-q", ".")
		tracks, available := r.IntN(3) == 0, names
		if tracks { // git check-ignore compares tracked names with paths as patterns
			available = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return strings.ContainsAny(name, `*[\`) })
		}
		var add func(in string, depth int)
		add = func(in string, depth int) {
			for range 2 + r.IntN(5) {
				path := filepath.Join(in, available[r.IntN(len(available))])
				if _, err := os.Lstat(path); err == nil {
					continue
				}
				if depth < 3 && r.IntN(2) == 0 {
					if err := os.Mkdir(path, 0o755); err != nil {
						t.Fatal(err)
					}
					add(path, depth+1)
				} else {
					write(t, path, "")
				}
			}
			if depth == 0 || r.IntN(3) == 0 {
				write(t, filepath.Join(in, ".gitignore"), randomPatterns(r))
			}
		}
		add(dir, 0)
		if r.IntN(2) == 0 {
			write(t, filepath.Join(dir, ".git/info/exclude"), randomPatterns(r))
		}
		if r.IntN(2) == 0 {
			write(t, filepath.Join(home, ".config/git/ignore"), randomPatterns(r))
		}
		if !tracks && r.IntN(3) == 0 {
			git(t, dir, "", "config", "core.ignorecase", "true")
		}
		if tracks {
			git(t, dir, "", "config", "index.version", fmt.Sprint(2+r.IntN(3)))
			filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
				if d.Name() == ".git" {
					return fs.SkipDir
				}
				if !d.IsDir() && r.IntN(4) == 0 {
					rel, _ := filepath.Rel(dir, path)
					git(t, dir, "", "--literal-pathspecs", "add", "-f", "--", rel)
				}
				return nil
			})
		}
		total += compare(t, dir)
		if t.Failed() {
			t.Fatalf("with the seed %d", seed)
		}
	}
	t.Logf("%d paths", total)
}

// TestRepositories checks linked work trees, nested repositories and the directory that
// is named.
func TestRepositories(t *testing.T) {
	home := isolate(t)
	dir := filepath.Join(t.TempDir(), "main")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	git(t, dir, "", "init", "-q", ".")
	write(t, filepath.Join(home, "excludes"), "*.tmp\n")
	git(t, dir, "", "config", "core.excludesFile", "~/excludes")
	for file, text := range map[string]string{
		".gitignore": "/public/\nnode_modules\n*.log\n!keep.log\n", "docs/.gitignore": "/out\n", ".git/info/exclude": "private\n",
		"index.md": "", "public/index.html": "", "docs/out/x.md": "", "docs/a.md": "", "docs/node_modules/x/README.md": "",
		"a.log": "", "keep.log": "", "b.tmp": "", "private": "", "public/tracked.html": "", "out/y.md": "",
	} {
		write(t, filepath.Join(dir, file), text)
	}
	git(t, dir, "", "add", "-A", ".")
	git(t, dir, "", "add", "-f", "public/tracked.html")
	git(t, dir, "", "-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "-q", "-m", "x")
	compare(t, dir)
	for what, dir := range map[string]string{"an ignored directory that is named": filepath.Join(dir, "docs", "out"), "no work tree": t.TempDir()} {
		if tree, err := OpenIgnore(dir); err != nil || tree.Root() != "" || tree.Ignored("a.log", false) || tree.LeavesOut() {
			t.Errorf("%s: work tree %q, error %v", what, tree.Root(), err)
		}
	}
	below, err := OpenIgnore(filepath.Join(dir, "docs"))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{"out": true, "out/x.md": true, "a.md": false, "node_modules": true, "node_modules/x/README.md": true, "x.log": true} {
		if got := below.Ignored(path, path == "out" || path == "node_modules"); got != want {
			t.Errorf("docs/%s is ignored: %t", path, got)
		}
	}
	linked := filepath.Join(filepath.Dir(dir), "linked")
	git(t, dir, "", "worktree", "add", "-q", linked)
	for _, file := range []string{"private", "c.log", "docs/out/z.md", "d.tmp"} {
		write(t, filepath.Join(linked, file), "")
	}
	compare(t, linked)
	if tree, err := OpenIgnore(linked); err != nil || !tree.Ignored("private", false) || !tree.Ignored("d.tmp", false) {
		t.Errorf("in a linked work tree: %v", err)
	}
	// A repository in the work tree has its own patterns.
	nested := filepath.Join(dir, "nested")
	write(t, filepath.Join(nested, ".gitignore"), "own\n")
	git(t, nested, "", "init", "-q", ".")
	tree, err := OpenIgnore(dir)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{"nested": false, "nested/own": true, "nested/x.log": false} {
		if got := tree.Ignored(path, path == "nested"); got != want {
			t.Errorf("%s is ignored: %t", path, got)
		}
	}
	var none *Ignore
	if none.Ignored("x", false) {
		t.Error("without a work tree")
	}
}

func FuzzPattern(f *testing.F) {
	f.Add("a/**/[!b]*\n!\\#x/", "a/b/c")
	f.Add("**/**/**a*b*c*d", "aaaaaaaaaaaaaaaaaaaa")
	f.Fuzz(func(t *testing.T, text, path string) {
		for _, p := range parsePatterns([]byte(text), len(text)%2 == 0) {
			p.match(path, len(path)%2 == 0)
		}
	})
}

func FuzzReadIndex(f *testing.F) {
	f.Add([]byte("DIRC\x00\x00\x00\x02\x00\x00\x00\x01" + strings.Repeat("\x00", 62) + "a\x00"))
	f.Add([]byte("DIRC\x00\x00\x00\x04\x00\x00\x00\x01" + strings.Repeat("\x00", 62) + "\x80\x80\x80\x80\x80a\x00"))
	f.Fuzz(func(t *testing.T, index []byte) {
		readIndex(bufio.NewReader(bytes.NewReader(index)))
	})
}

// TestOpenWaitsForNoFile: an archive can contain named pipes, and nobody may write to them.
func TestOpenWaitsForNoFile(t *testing.T) {
	isolate(t)
	for _, name := range []string{".git/config", ".git/index", ".git/info/exclude", ".git/commondir", ".gitignore", "sub/.git"} {
		dir := t.TempDir()
		git(t, dir, "", "init", "-q")
		write(t, filepath.Join(dir, "sub", "a.html"), "")
		os.Remove(filepath.Join(dir, name))
		if out, err := exec.Command("mkfifo", filepath.Join(dir, name)).CombinedOutput(); err != nil {
			t.Fatalf("mkfifo: %v: %s", err, out)
		}
		tree, err := OpenIgnore(dir)
		if err != nil || tree == nil || tree.Ignored("sub/a.html", false) {
			t.Errorf("%s is a pipe: %v, %v", name, tree, err)
		}
	}
}

// TestIndexWithLongNames: in an index of version 4, each name repeats the one before, so a
// short index can have names that fill the memory.
func TestIndexWithLongNames(t *testing.T) {
	const length, count = 1 << 20, 10_000
	var text bytes.Buffer
	text.WriteString("DIRC\x00\x00\x00\x04\x00\x00\x27\x10")
	for i := range count {
		text.Write(make([]byte, 62))
		text.WriteByte(0) // nothing is cut from the name before
		if i == 0 {
			text.Write(bytes.Repeat([]byte("a"), length))
		}
		text.WriteByte(0)
	}
	if _, err := readIndex(bufio.NewReader(&text)); err == nil || err.Error() != "index with too long names" {
		t.Errorf("%d names of %d bytes: %v", count, length, err)
	}
}
