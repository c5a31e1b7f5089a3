package gitchanges

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// isolate gives git and this package an empty home directory, and no variables of git.
func isolate(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("this needs git")
		}
		t.Skip("this needs git")
	}
	home := t.TempDir()
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); strings.HasPrefix(name, "GIT_") {
			t.Setenv(name, "")
			os.Unsetenv(name)
		}
	}
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	text := "[user]\n\tname = Test\n\temail = test@example.com\n[init]\n\tdefaultBranch = main\n"
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func shell(t *testing.T, dir, script string) {
	t.Helper()
	cmd := exec.Command("sh", "-ec", script)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, script, out)
	}
}

// start makes a repository with two commits; then kept.md is as it was, changed.md is
// changed, removed.md is removed and new.md is untracked.
const start = `
mkdir docs
for f in kept changed removed; do echo $f >docs/$f.md; done
git add .
git commit -qm first
echo more >>docs/changed.md
git commit -qam second
`

const change = `
echo again >>docs/changed.md
rm docs/removed.md
echo new >docs/new.md
`

// TestSince compares with the kinds of repositories that git makes.
func TestSince(t *testing.T) {
	usual := []string{"changed.md", "-removed.md", "new.md"}
	for _, row := range []struct {
		name, script string
		dir, ref     string // docs and HEAD if empty
		want         []string
	}{
		{name: "usual", script: "git init -q" + start + change, want: usual},
		{name: "unchanged", script: "git init -q" + start},
		{name: "only touched", script: "git init -q" + start + "touch -d 2001-02-03 docs/*"},
		{name: "changed and changed back", script: "git init -q" + start + "echo x >docs/kept.md; git add .; echo kept >docs/kept.md"},
		{name: "odd names", script: "git init -q" + start + "printf x >'docs/\"q.md'; printf x >\"docs/n$(printf '\\n')l.md\"; printf x >'docs/a b.md'; git add .; git commit -qm third; touch -d 2001-02-03 docs/*; echo y >'docs/a b.md'", want: []string{"a b.md", "\"q.md"}},
		{name: "symbolic links", script: "git init -q" + start + "ln -s kept.md docs/l.md; git add .; git commit -qm third; ln -sf changed.md docs/l.md; rm docs/kept.md; ln -s changed.md docs/kept.md", want: []string{"kept.md", "l.md"}},
		{name: "staged", script: "git init -q" + start + change + "git add -A", want: usual},
		{name: "committed", script: "git init -q" + start + change + "git add -A; git commit -qm third", ref: "HEAD~1", want: usual},
		{name: "earlier commit", script: "git init -q" + start, ref: "HEAD~1", want: []string{"changed.md"}},
		{name: "packed", script: "git init -q" + start + "git gc -q" + change, ref: "main", want: usual},
		{name: "reference log", script: "git init -q" + start, ref: "HEAD@{1}", want: []string{"changed.md"}},
		{name: "SHA-256", script: "git init -q --object-format=sha256" + start + change, want: usual},
		{name: "split index", script: "git init -q" + start + "git update-index --split-index; touch x; git add x" + change, want: usual},
		{name: "index of version 4", script: "git init -q" + start + "git update-index --index-version 4" + change, want: usual},
		{name: "sparse index", script: "git init -q" + start + "mkdir other; echo x >other/x.md; git add other; git commit -qm third; git sparse-checkout set --cone --sparse-index docs" + change, want: usual},
		{name: "no index entries for a sparse directory", script: "git init -q" + start + "mkdir other; echo x >other/x.md; git add other; git commit -qm third; git sparse-checkout set --cone --sparse-index docs" + change, dir: ".",
			want: []string{"docs/changed.md", "-docs/removed.md", "docs/new.md"}},
		{name: "linked work tree", script: "git init -q main; cd main" + start + "git worktree add -q ../tree; cd ../tree" + change, dir: "tree/docs", want: usual},
		{name: "separate directory", script: "git init -q --separate-git-dir=apart" + start + change, want: usual},
		{name: "submodule", script: "git init -q sub; cd sub" + start + "cd ..; git init -q top; cd top; git -c protocol.file.allow=always submodule --quiet add ../sub sub; cd sub" + change, dir: "top/sub/docs", want: usual},
		{name: "alternates", script: "git init -q main; cd main" + start + "cd ..; git clone -q --shared main tree; cd tree" + change, dir: "tree/docs", ref: "origin/main", want: usual},
		{name: "shallow clone", script: "git init -q main; cd main" + start + "cd ..; git clone -q --depth 1 \"file://$PWD/main\" tree; cd tree" + change, dir: "tree/docs", ref: "origin/main", want: usual},
		{name: "partial clone without the blobs of other commits", script: "git init -q main; cd main; git config uploadpack.allowFilter true" + start +
			"cd ..; git clone -q --filter=blob:none \"file://$PWD/main\" tree; rm -rf main; cd tree" + change, dir: "tree/docs", ref: "HEAD~1", want: usual},
		{name: "fork point", script: "git init -q" + start + "git checkout -qb work; git checkout -q main; echo x >docs/kept.md; git commit -qam third; git checkout -q work" + change, ref: "main", want: usual},
		{name: "unrelated histories", script: "git init -q" + start + "git checkout -q --orphan work; git commit -qm other" + change, ref: "main", want: usual},
		{name: "no commit on the branch", script: "git init -q" + start + "git checkout -q --orphan work" + change, ref: "main", want: usual},

		{name: "line ends by the repository's configuration", script: "git init -q; git config core.autocrlf true" + start + "for f in docs/*; do sed -i 's/$/\\r/' $f; done"},
		{name: "line ends by the user's configuration", script: "git init -q; git config --global core.autocrlf true" + start + "for f in docs/*; do sed -i 's/$/\\r/' $f; done; git config --global --unset core.autocrlf; git config --global core.autocrlf input"},
		{name: "line ends by attributes", script: "git init -q; echo '* text eol=crlf' >.gitattributes" + start + "for f in docs/*; do sed -i 's/$/\\r/' $f; done"},
		{name: "line ends that count", script: "git init -q" + start + "sed -i 's/$/\\r/' docs/kept.md", want: []string{"kept.md"}},
		{name: "mode that does not count", script: "git init -q; git config core.fileMode false" + start + "chmod +x docs/*"},
		{name: "mode", script: "git init -q" + start + "chmod +x docs/kept.md", want: []string{"kept.md"}},
		{name: "checked out by a filter", script: "git init -q; git config filter.x.smudge 'tr a-z A-Z'; git config filter.x.clean 'tr A-Z a-z'" + start +
			"echo '*.md filter=x' >docs/.gitattributes; git add .; git commit -qm third; rm docs/*.md; git checkout -q docs; grep KEPT docs/kept.md; touch -d 2001-02-03 docs/*; git update-index -q --refresh"},

		{name: "ignored", script: "git init -q; echo a.md >.git/info/exclude; echo b.md >.gitignore; echo c.md >.c; git config core.excludesFile .c" + start + "for f in a b c d; do echo >docs/$f.md; done", want: []string{"d.md"}},
		{name: "ignored by the user", script: "git init -q; mkdir -p \"$XDG_CONFIG_HOME/git\"; echo a.md >\"$XDG_CONFIG_HOME/git/ignore\"" + start + "for f in a b; do echo >docs/$f.md; done", want: []string{"b.md"}},
		{name: "untracked repository", script: "git init -q" + start + "git init -q docs/nested; echo x >docs/nested/x.md", want: []string{"nested/"}},
		{name: "directory named like a pattern", script: "git init -q" + start + "mkdir 'do*' dox; echo a >'do*/a.md'; echo b >dox/b.md", dir: "do*", want: []string{"a.md"}},
		{name: "directory named like magic", script: "git init -q" + start + "mkdir ':(top)'; echo a >':(top)/a.md'", dir: ":(top)", want: []string{"a.md"}},
		{name: "directory in a look-alike of a bare repository", script: "git init -q" + start + "cp -a .git/config .git/HEAD .git/objects .git/refs docs/; git add -f docs; git commit -qm third" + change, want: usual},
	} {
		t.Run(row.name, func(t *testing.T) {
			isolate(t)
			dir := t.TempDir()
			shell(t, dir, row.script)
			in, ref := row.dir, row.ref
			if in == "" {
				in = "docs"
			}
			if ref == "" {
				ref = "HEAD"
			}
			changes, err := Since(t.Context(), ref, filepath.Join(dir, in))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, c := range changes {
				name := filepath.ToSlash(c.Path)
				if c.Removed {
					name = "-" + name
				}
				got = append(got, name)
			}
			slices.Sort(got)
			slices.Sort(row.want)
			if !slices.Equal(got, row.want) {
				t.Errorf("changes since %s: got %q, want %q", ref, got, row.want)
			}
		})
	}
}

// TestSinceOfAnotherUser: git itself refuses the repository, because it would follow its
// configuration.
func TestSinceOfAnotherUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can give files to another user")
	}
	isolate(t)
	dir := t.TempDir()
	shell(t, dir, "git init -q"+start+change+"chown -R 65534 .")
	cmd := exec.Command("git", "status")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "dubious ownership") {
		t.Fatalf("git status: %v, %s", err, out)
	}
	changes, err := Since(t.Context(), "HEAD", filepath.Join(dir, "docs"))
	if err != nil || len(changes) != 3 {
		t.Errorf("changes: %v, %v, want 3", changes, err)
	}
}

func TestSinceErrors(t *testing.T) {
	isolate(t)
	dir := t.TempDir()
	shell(t, dir, "git init -q tree; cd tree"+start+"mkdir built; cd ..; mkdir apart; mkfifo pipe; git init -q waits; rm -f waits/.git/index; mkfifo waits/.git/index; cd tree; cp -a .git/objects .git/refs ../waits/.git/")
	for _, row := range []struct{ dir, ref, want string }{
		{"tree/docs", "nosuch", "git finds no such commit"},
		{"tree/docs", "", "not the name of a commit"},
		{"tree/docs", "--all", "not the name of a commit"},
		{"tree/docs", "HEAD:docs", "git finds no such commit"},
		{"tree/built", "HEAD", "git tracks no file there"},
		{"apart", "HEAD", "not in a work tree of git"},
		{"missing", "HEAD", "no such file"},
		{"waits", "HEAD", "not a regular file"},
	} {
		changes, err := Since(t.Context(), row.ref, filepath.Join(dir, row.dir))
		if err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("changes of %s since %q: %v, %v, want the error %q", row.dir, row.ref, changes, err, row.want)
		}
	}
}

// TestSinceOpensOnlyFiles: git would wait for the writer of a named pipe for ever, and read a device until the memory
// is full. Git is not started with such a repository.
func TestSinceOpensOnlyFiles(t *testing.T) {
	for _, row := range []struct{ script, want string }{
		{"rm .git/config; mkfifo .git/config", ".git/config is not a regular file"},
		{"ln -sf /dev/zero .git/config", ".git/config is not a regular file"},
		{"rm .git/HEAD; ln -s /dev/zero .git/HEAD", ".git/HEAD is not a regular file"},
		{"mkfifo .git/packed-refs", ".git/packed-refs is not a regular file"},
		{"mkfifo .git/FETCH_HEAD", ".git/FETCH_HEAD is not a regular file"},
		{"mkfifo .git/shallow", ".git/shallow is not a regular file"},
		{"ln -s /dev/zero .git/info/grafts", "info/grafts is not a regular file"},
		{"truncate -s 40G .git/info/grafts", "info/grafts has more than 100 MiB"},
		{"mkfifo .git/commondir", ".git/commondir is not a regular file"},
		{"mkfifo .git/objects/info/commit-graph", "info/commit-graph is not a regular file"},
		{"mkfifo .git/objects/info/alternates", "info/alternates is not a regular file"},
		{"truncate -s 40G .git/objects/info/alternates", "info/alternates has more than 100 MiB"},

		{"truncate -s 200M .git/large .git/objects/info/large", ""},
		{"git config core.attributesFile /dev/zero", ""},
		{"mkfifo pipe; git config core.excludesFile pipe", ""},
		{"rm docs/kept.md; mkfifo docs/kept.md", ""},
		{"ln -s /dev/zero docs/.gitattributes", ""},
		{"rm -rf .git/hooks; mkdir .git/lfs; mkfifo .git/lfs/x", ""},
	} {
		isolate(t)
		dir := t.TempDir()
		shell(t, dir, "git init -q"+start+change+row.script)
		changes, err := Since(t.Context(), "HEAD", filepath.Join(dir, "docs"))
		if row.want == "" && (err != nil || len(changes) < 3) || row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)) {
			t.Errorf("%s: %v, %v, want the error %q", row.script, changes, err, row.want)
		}
	}
}

// TestFindGit: a program in the tree is not taken for git, however PATH names its directory.
func TestFindGit(t *testing.T) {
	dir := t.TempDir()
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	shell(t, dir, "mkdir -p tree/bin out; cp /bin/true tree/git; cp /bin/true tree/bin/git; cp /bin/true out/git; ln -s tree/bin link; mkdir linked; ln -s ../tree/git linked/git")
	t.Chdir(filepath.Join(dir, "tree"))
	tree := filepath.Join(dir, "tree")
	out := filepath.Join(dir, "out")
	for _, first := range []string{".", "", "bin", "../tree/bin", tree, tree + "/bin", out + "/../tree/bin", dir + "/link", dir + "/linked", "/nonexistent"} {
		t.Setenv("PATH", first+":"+out)
		if got, err := findGit(tree); err != nil || got != filepath.Join(out, "git") {
			t.Errorf("with PATH=%s: %s, %v", os.Getenv("PATH"), got, err)
		}
		t.Setenv("PATH", first)
		if got, err := findGit(tree); err == nil {
			t.Errorf("with PATH=%s: %s", first, got)
		}
	}
}

func TestOutputLimit(t *testing.T) {
	o := output{limit: 10}
	for i, want := range []bool{true, true, false, false} {
		if _, err := fmt.Fprint(&o, "12345"); (err == nil) != want {
			t.Errorf("write %d: %v", i, err)
		}
	}
	if o.String() != "1234512345" || !o.full {
		t.Errorf("%q is kept, full: %t", o.String(), o.full)
	}
}
