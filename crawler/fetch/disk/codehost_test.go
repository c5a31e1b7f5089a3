package disk

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/urinorm"
)

func TestParseRemote(t *testing.T) {
	for address, want := range map[string]string{
		"git@github.com:owner/repo.git":             "github.com owner/repo",
		"github.com:owner/repo":                     "github.com owner/repo",
		"https://github.com/owner/repo":             "github.com owner/repo",
		"https://GitHub.com/owner/repo.git/":        "github.com owner/repo",
		"https://user:token@github.com/owner/repo":  "github.com owner/repo",
		"ssh://git@github.com:22/owner/repo.git":    "github.com owner/repo",
		"git://codeberg.org/owner/repo.git":         "codeberg.org owner/repo",
		"https://www.github.com/owner/repo":         "github.com owner/repo",
		"git@github.com:owner/repo.wiki.git":        " ",
		"https://gitlab.example/group/sub/repo.git": " ",
		"https://github.com/owner":                  " ",
		"../elsewhere":                              " ",
		"/srv/git/repo.git":                         " ",
		"file:///srv/git/owner/repo":                " ",
		"":                                          " ",
	} {
		host, repository := parseRemote(address)
		if got := host + " " + repository; got != want {
			t.Errorf("parseRemote(%q) = %q, want %q", address, got, want)
		}
	}
}

// workTree makes the root of a work tree with a remote.
func workTree(t *testing.T, config string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{".git/HEAD": "ref: refs/heads/main\n", ".git/config": config} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(root, "docs", "a b"), 0o755); err != nil {
		t.Fatal(err)
	}
	return root
}

func TestHostedPage(t *testing.T) {
	const github = "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = git@github.com:owner/repo.git # mine\n[branch \"main\"]\n\turl = https://codeberg.org/a/b\n"
	const fork = "[remote \"other\"]\n\turl = https://github.com/x/y\n[remote \"upstream\"]\n\turl = \"https://codeberg.org/owner/repo\"\n"
	for _, row := range []struct{ config, dir, ref, want string }{
		{github, "", "../../issues", "https://github.com/owner/repo/issues"},
		{github, "", "./../../wiki/X#y", "https://github.com/owner/repo/wiki/X#y"},
		{github, "", "../../releases/latest", "https://github.com/owner/repo/releases/latest"},
		{github, "", "../../../other/issues?q=is%3Aopen", "https://github.com/owner/other/issues?q=is%3Aopen"},
		{github, "", "../sibling", ""},
		{github, "", "issues", ""},
		{github, "docs", "../../issues", ""},
		{github, "docs", "../../../tree/main/docs", "https://github.com/owner/repo/tree/main/docs"},
		{github, "docs/a b", "../../../../issues", "https://github.com/owner/repo/issues"},
		{fork, "", "../../../issues", "https://codeberg.org/owner/repo/issues"},
		{"[remote \"origin\"]\n\turl = https://git.example.com/owner/repo\n", "", "../../issues", ""},
		{"", "", "../../issues", ""},
	} {
		root := workTree(t, row.config)
		h, _ := HostedAt(filepath.Join(root, row.dir))
		u, _ := h.Page(row.ref)
		if got := u.String(); got != row.want {
			t.Errorf("%s in %q leads to %q, want %q", row.ref, row.dir, got, row.want)
		}
	}
}

// A reference either stays among the documents or leads to an http URL of the host.
func FuzzHostedPage(f *testing.F) {
	for _, ref := range []string{"../../issues", "./../../../x", "../../\\..", "../../http://[", "../..//x", "../../?\t#\n"} {
		f.Add("git@github.com:owner/repo.git", ref)
	}
	f.Fuzz(func(t *testing.T, address, ref string) {
		host, repository := parseRemote(address)
		if strings.Contains(host, "/") || repository != "" && strings.Count(repository, "/") != 1 {
			t.Errorf("parseRemote(%q) = %q, %q", address, host, repository)
		}
		h := Hosted{documents: "https://github.com/owner/repo/blob/HEAD/"}
		u, ok := h.Page(ref)
		if ok && (u == urinorm.URL{} || u.Host() != "github.com") {
			t.Errorf("%q leads to %q", ref, u)
		}
	})
}
