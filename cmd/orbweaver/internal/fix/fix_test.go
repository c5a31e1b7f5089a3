package fix

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/text/encoding/unicode"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/report"
)

// moved returns the result of a target that moved permanently, with the given references.
func moved(from, to string, refs ...result.Reference) *result.Result {
	return &result.Result{
		URL: from, Verdict: check.OK, Code: check.CodeOK,
		Warnings:   []check.Warning{{Code: check.CodeRedirectPermanent, Proposal: to}},
		References: refs,
	}
}

func TestPropose(t *testing.T) {
	broken := func(suggestions ...check.Suggestion) *result.Result {
		return &result.Result{URL: "a", Verdict: check.Broken, Code: "file-missing", Suggestions: suggestions}
	}
	warned := func(codes ...check.Code) *result.Result {
		r := moved("https://e.test/a", "https://e.test/b")
		for _, c := range codes {
			r.Warnings = append(r.Warnings, check.Warning{Code: c})
		}
		return r
	}
	tests := []struct {
		name string
		r    *result.Result
		to   string
	}{
		{"moved permanently", moved("https://e.test/a", "https://e.test/b"), "https://e.test/b"},
		{"moved, no proposal", moved("https://e.test/a", ""), ""},
		{"and then for now", warned("redirect-temporary"), "https://e.test/b"},
		{"to the home page", warned(check.CodeRedirectToRoot), ""},
		{"to a sign-in page", warned(check.CodeRedirectToLogin), ""},
		{"to another site", warned(check.CodeRedirectToOtherSite), ""},
		{"only for now", &result.Result{URL: "a", Warnings: []check.Warning{{Code: "redirect-temporary", Proposal: "b"}}}, ""},
		{"a better address", &result.Result{URL: "a", Warnings: []check.Warning{{Code: "insecure-http", Proposal: "b"}}}, ""},
		{"broken, one that is close", broken(check.Suggestion{URL: "b", Unique: true}), "b"},
		{"broken, one of several", broken(check.Suggestion{URL: "b"}, check.Suggestion{URL: "c"}), ""},
		{"broken, two that claim to be the only one", broken(check.Suggestion{URL: "b", Unique: true}, check.Suggestion{URL: "c", Unique: true}), ""},
		{"broken and an archived copy", broken(check.Suggestion{URL: "b", Unique: true}, check.Suggestion{URL: "https://web.archive.org/x"}), "b"},
		{"nothing", broken(), ""},
		{"itself", broken(check.Suggestion{URL: "a", Unique: true}), ""},
		{"unverified", &result.Result{URL: "a", Verdict: check.Unverified, Suggestions: []check.Suggestion{{URL: "b", Unique: true}}}, ""},
	}
	for _, test := range tests {
		p, ok := report.Propose(test.r)
		if ok != (test.to != "") || ok && p.To != test.to {
			t.Errorf("%s: %+v, %v, want %q", test.name, p, ok, test.to)
		}
	}
}

// tree is a directory of files.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// references returns all links in a file that are written as raw.
func references(t *testing.T, dir, page, raw string) (refs []result.Reference) {
	t.Helper()
	body, err := os.ReadFile(filepath.Join(dir, page))
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range extract.Extract(extract.Input{Body: body, Name: filepath.Base(page)}).Links {
		if l.Raw == raw {
			refs = append(refs, result.Reference{Page: page, Line: l.Line, Column: l.Column, Element: l.Element, Attribute: l.Attribute, Raw: l.Raw})
		}
	}
	if refs == nil {
		t.Fatalf("%s holds no %q", page, raw)
	}
	return refs
}

const oldURL, newURL = "http://e.test/old", "https://e.test/new"

// most lines of the page have no link
func page(eol string, links ...int) string {
	var b strings.Builder
	for i := range 40 {
		switch {
		case contains(links, i):
			b.WriteString("ä <a href=\"" + oldURL + "\">x</a> and <a href='" + oldURL + "'>y</a>" + eol)
		default:
			b.WriteString("line" + eol)
		}
	}
	return b.String()
}

func contains(all []int, i int) bool {
	for _, n := range all {
		if n == i {
			return true
		}
	}
	return false
}

// utf16 writes a text in UTF-16 with a byte order mark.
func utf16(text string) string {
	encoded, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(text)
	if err != nil {
		panic(err)
	}
	return encoded
}

// TestPatchApplies tests that git applies every patch, and that the result is the same as
// that of Write.
func TestPatchApplies(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	patch, err := exec.LookPath("patch")
	if err != nil && os.Getenv("CI") == "true" {
		t.Fatal(err)
	}
	files := map[string]string{
		"first.html":              "<!doctype html>" + page("\n", 1),
		"last.html":               page("\n", 39),
		"all.html":                page("\n", 0, 1, 5, 12, 20, 21, 30, 39),
		"near.html":               page("\n", 10, 17, 25),
		"crlf.html":               page("\r\n", 3, 20),
		"mark.html":               "\uFEFF" + page("\n", 0, 3),
		"no end.html":             strings.TrimSuffix(page("\n", 0, 39), "\n"),
		"one line.md":             "[x](" + oldURL + ")",
		"lone cr.html":            "<a href=" + oldURL + ">\rline\r<a href=" + oldURL + ">\n",
		"broken line.html":        "<p>\n<a href=\"http://e.test/\nold\">x</a>\n</p>\n<a href=\"" + oldURL + "\">\n",
		"dir/ü \"quoted\".html":   page("\n", 3),
		"dir/sub/tab\there.html":  page("\n", 3),
		"dir/back\\slash.html":    page("\n", 3),
		"dir/a b/ trailing .html": page("\n", 3),
		"latin.html":              "<meta charset=iso-8859-1>\xe4\xf6<a href=\"" + oldURL + "\">\xfc</a>\n\xe4\n",
		"utf-16.html":             utf16(page("\n", 0, 3)),
		"untouched.html":          page("\n"),
	}
	dir := tree(t, files)
	var refs []result.Reference
	for name := range files {
		switch name {
		case "untouched.html":
		case "broken line.html":
			refs = append(refs, references(t, dir, name, "http://e.test/\nold")...)
			fallthrough
		default:
			refs = append(refs, references(t, dir, name, oldURL)...)
		}
	}
	plan, err := Make(dir, dir, []*result.Result{moved(oldURL, newURL, refs...)}, Certain, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(plan.LeftOut) > 0 || len(plan.Files) != len(files)-1 {
		t.Errorf("%d files, left out %v", len(plan.Files), plan.LeftOut)
	}
	var out bytes.Buffer
	if err := plan.WritePatch(&out); err != nil {
		t.Fatal(err)
	}
	written := tree(t, files)
	again, err := Make(written, written, []*result.Result{moved(oldURL, newURL, refs...)}, Certain, nil)
	if err != nil {
		t.Fatal(err)
	}
	if files, err := again.Write(); err != nil || len(files) != len(plan.Files) {
		t.Fatalf("%d written, %v", len(files), err)
	}
	run := func(in string, name string, args ...string) {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Stdin = in, bytes.NewReader(out.Bytes())
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_CEILING_DIRECTORIES="+filepath.Dir(in))
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s %v: %v\n%s\n%s", name, args, err, said, out.Bytes())
		}
	}
	compare := func(what, in string) {
		t.Helper()
		for name, before := range files {
			got, err := os.ReadFile(filepath.Join(in, name))
			if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(filepath.Join(written, name))
			if err != nil {
				t.Fatal(err)
			}
			changed := name != "untouched.html"
			if !bytes.Equal(got, want) || changed == (before == string(want)) || bytes.Contains(want, []byte(oldURL)) || bytes.Contains(want, []byte(utf16(oldURL)[2:])) {
				t.Errorf("%s: %s is %q, written %q", what, name, got, want)
			}
		}
	}
	run(dir, git, "apply", "--check", "-")
	run(dir, git, "apply", "-")
	compare("git apply", dir)
	run(dir, git, "apply", "--reverse", "-")
	if patch != "" {
		run(dir, patch, "-p1", "--binary", "--quiet")
		compare("patch", dir)
	}
}

// TestOnlyUnchangedReferences tests that references that changed since the run are left alone.
func TestOnlyUnchangedReferences(t *testing.T) {
	files := map[string]string{
		"moved.html":   page("\n", 3),
		"gone.html":    page("\n", 3),
		"other.html":   page("\n", 3),
		"commented.md": "[x](" + oldURL + ")\n",
		"same.html":    page("\n", 3),
	}
	dir := tree(t, files)
	var refs []result.Reference
	for name := range files {
		refs = append(refs, references(t, dir, name, oldURL)...)
	}
	for name, text := range map[string]string{
		"moved.html":   "one line more\n" + files["moved.html"],
		"other.html":   strings.Replace(files["other.html"], "test/old\"", "test/odd\"", 1),
		"commented.md": "`" + strings.TrimSpace(files["commented.md"]) + "`\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(filepath.Join(dir, "gone.html")); err != nil {
		t.Fatal(err)
	}
	plan, err := Make(dir, dir, []*result.Result{moved(oldURL, newURL, refs...)}, Certain, nil)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, l := range plan.LeftOut {
		left = append(left, l.String())
	}
	want := `commented.md:1:5: changed since the run: "http://e.test/old" is no longer there
gone.html: the file no longer exists
moved.html:4:12: changed since the run: "http://e.test/old" is no longer there
moved.html:4:50: changed since the run: "http://e.test/old" is no longer there
other.html:4:12: changed since the run: "http://e.test/old" is no longer there`
	if got := strings.Join(left, "\n"); got != want {
		t.Errorf("left out:\n%s\nwant:\n%s", got, want)
	}
	if plan.Edits() != 3 || len(plan.Files) != 2 || plan.Files[1].name != "same.html" {
		t.Errorf("%d edits in %d files", plan.Edits(), len(plan.Files))
	}
	// A file that changes between Make and Write is left alone, too.
	if err := os.WriteFile(filepath.Join(dir, "same.html"), []byte("new"), 0o644); err != nil {
		t.Fatal(err)
	}
	if written, err := plan.Write(); len(written) != 1 || written[0].name == "same.html" || err == nil || !strings.Contains(err.Error(), "same.html: the file was changed in the meantime") {
		t.Errorf("%d written, %v", len(written), err)
	}
	var fixed []string
	for i := range refs {
		if plan.Written(&refs[i], oldURL) {
			fixed = append(fixed, fmt.Sprintf("%s:%d:%d", refs[i].Page, refs[i].Line, refs[i].Column))
		}
		if plan.Written(&refs[i], "http://e.test/another") {
			t.Errorf("a reference to another target at %v was not written", refs[i])
		}
	}
	if got := strings.Join(fixed, " "); got != "other.html:4:50" {
		t.Errorf("written: %s", got)
	}
}

// TestNothingOutside tests that only files below the root are read, whatever the report names.
func TestNothingOutside(t *testing.T) {
	dir := tree(t, map[string]string{"in/page.html": page("\n", 3), "out/page.html": page("\n", 3)})
	if err := os.Symlink(filepath.Join(dir, "out"), filepath.Join(dir, "in", "link")); err != nil {
		t.Skip(err)
	}
	root := filepath.Join(dir, "in")
	ref := references(t, root, "page.html", oldURL)[0]
	var refs []result.Reference
	for _, name := range []string{"../out/page.html", "link/page.html", filepath.Join(dir, "out/page.html"), "page.html", "https://e.test/page.html", "-", result.CommandLine} {
		ref.Page = name
		refs = append(refs, ref)
	}
	plan, err := Make(root, root, []*result.Result{moved(oldURL, newURL, refs...)}, Certain, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(plan.Files) != 1 || plan.Files[0].name != "page.html" || len(plan.LeftOut) != 3 || plan.Elsewhere != 3 {
		t.Errorf("%d files, %d elsewhere, left out %v", len(plan.Files), plan.Elsewhere, plan.LeftOut)
	}
	for _, l := range plan.LeftOut {
		if !strings.Contains(l.why, "outside") {
			t.Errorf("%v", l)
		}
	}
}

// TestBlocked tests that references that are more than links are not edited.
func TestBlocked(t *testing.T) {
	dir := tree(t, map[string]string{
		"form.html": `<!doctype html><form action="` + oldURL + `"></form>`,
		"rss.xml":   `<rss version="2.0"><channel><item><guid>` + oldURL + `</guid><link>` + oldURL + `</link></item></channel></rss>`,
		"a.pdf":     "%PDF-1.4\n",
	})
	refs := references(t, dir, "form.html", oldURL)
	refs = append(refs, references(t, dir, "rss.xml", oldURL)...)
	refs = append(refs, result.Reference{Page: "a.pdf", Raw: oldURL, Element: "a"})
	plan, err := Make(dir, dir, []*result.Result{moved(oldURL, newURL, refs...)}, Certain, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(plan.LeftOut) != 3 || len(plan.Files) != 1 || plan.Files[0].Edits[0].Before != oldURL || len(plan.Files[0].Edits) != 1 {
		t.Errorf("%+v, left out %v", plan.Files, plan.LeftOut)
	}
}

// TestOnlyPagesForPages tests that another form of a page's URL replaces only links.
func TestOnlyPagesForPages(t *testing.T) {
	dir := tree(t, map[string]string{
		"a.html": `<!doctype html><a href="photo">x</a><img src="photo"><style>@import "photo";</style>`,
	})
	res := &result.Result{URL: "photo", Verdict: check.Broken, Code: "file-missing",
		Suggestions: []check.Suggestion{{URL: "photo.html", Why: check.WhyForm, Unique: true}}, References: references(t, dir, "a.html", "photo")}
	plan, err := Make(dir, dir, []*result.Result{res}, Certain, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := plan.Write(); err != nil {
		t.Fatal(err)
	}
	after, _ := os.ReadFile(filepath.Join(dir, "a.html"))
	if want := `<!doctype html><a href="photo.html">x</a><img src="photo"><style>@import "photo";</style>`; string(after) != want {
		t.Errorf("%s, want %s", after, want)
	}
	if len(plan.LeftOut) != 2 || plan.Incomplete() {
		t.Errorf("left out: %v", plan.LeftOut)
	}
}

// TestNoSourcesForPages tests that links in HTML are not replaced by links to sources.
func TestNoSourcesForPages(t *testing.T) {
	dir := tree(t, map[string]string{"a.html": `<!doctype html><a href="b.html#c">x</a>`, "a.md": "[x](b.html#c)\n"})
	res := &result.Result{URL: "b.html#c", Verdict: check.Broken, Code: "file-missing",
		Suggestions: []check.Suggestion{{URL: "b.md#c", Why: check.WhyForm, Unique: true}},
		References:  append(references(t, dir, "a.html", "b.html#c"), references(t, dir, "a.md", "b.html#c")...)}
	plan, err := Make(dir, dir, []*result.Result{res}, Certain, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(plan.Files) != 1 || plan.Files[0].name != "a.md" || string(plan.Files[0].after) != "[x](b.md#c)\n" {
		t.Errorf("%+v", plan.Files)
	}
	if len(plan.LeftOut) != 1 || plan.LeftOut[0].page != "a.html" || plan.Incomplete() {
		t.Errorf("left out: %v", plan.LeftOut)
	}
}

// TestSources tests that an edit is made in the source of a page, in its own syntax.
func TestSources(t *testing.T) {
	dir := tree(t, map[string]string{
		"site/index.html": `<a href="../guide/#setup">x</a>`,
		"docs/index.md":   "[x](guide.md#setup) and [y](guide.md#setup \"title\")\n",
	})
	ref := references(t, dir, "site/index.html", "../guide/#setup")[0]
	ref.Source = &result.Place{File: "docs/index.md", Line: 1, Column: 5, Raw: "guide.md#setup"}
	r := &result.Result{URL: "guide/#setup", Verdict: check.Broken, Code: check.CodeFragmentMissing,
		Suggestions: []check.Suggestion{{URL: "guide/#set-up", Unique: true}}, References: []result.Reference{ref}}
	plan, err := Make(dir, dir, []*result.Result{r}, Certain, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(plan.Files) != 1 || plan.Files[0].name != "docs/index.md" || len(plan.LeftOut) > 0 {
		t.Fatalf("%+v, left out %v", plan.Files, plan.LeftOut)
	}
	if want := "[x](guide.md#set-up) and [y](guide.md#setup \"title\")\n"; string(plan.Files[0].after) != want {
		t.Errorf("%q, want %q", plan.Files[0].after, want)
	}
	// The source of another page is unknown here.
	r.Suggestions[0].URL = "guidance/#setup"
	if plan, err = Make(dir, dir, []*result.Result{r}, Certain, nil); err != nil || len(plan.Files) != 0 || len(plan.LeftOut) != 1 {
		t.Errorf("%+v, %v", plan, err)
	}
}

func TestWriteKeepsPermissionsAndLinks(t *testing.T) {
	dir := tree(t, map[string]string{"real/page.html": page("\n", 3)})
	file := filepath.Join(dir, "real/page.html")
	if err := os.Chmod(file, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real/page.html", filepath.Join(dir, "page.html")); err != nil {
		t.Skip(err)
	}
	refs := append(references(t, dir, "page.html", oldURL), references(t, dir, "real/page.html", oldURL)...)
	plan, err := Make(dir, dir, []*result.Result{moved(oldURL, newURL, refs...)}, Certain, nil)
	if err != nil {
		t.Fatal(err)
	}
	if written, err := plan.Write(); err != nil || len(written) != 1 {
		t.Fatalf("%d written, %v", len(written), err)
	}
	info, err := os.Lstat(file)
	if err != nil || info.Mode() != 0o640 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if info, err := os.Lstat(filepath.Join(dir, "page.html")); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	left, err := filepath.Glob(filepath.Join(dir, "real", ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestRoot(t *testing.T) {
	dir := tree(t, map[string]string{
		"work/.git/HEAD": "ref: refs/heads/main\n", "work/docs/a/page.html": "",
		"work/sub/.git": "gitdir: ../.git/modules/sub\n", "work/sub/page.html": "",
		"work/odd/.git/readme": "", "plain/page.html": "",
	})
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	for from, want := range map[string]string{"work": "work", "work/docs/a": "work", "work/sub": "work/sub", "work/odd": "work"} {
		if got := Root(filepath.Join(dir, from)); got != filepath.Join(dir, want) {
			t.Errorf("Root(%s) = %s", from, got)
		}
	}
	if got := Root(filepath.Join(dir, "plain")); isWorkTree(got) && !strings.HasPrefix(dir, got) || !isWorkTree(got) && got != filepath.Join(dir, "plain") {
		t.Errorf("Root(plain) = %s", got)
	}
}

// TestProposals tests that the proposal of a content check replaces the text at its place,
// together with edits of links, and that nothing else is replaced.
func TestProposals(t *testing.T) {
	dir := tree(t, map[string]string{"a.html": "<!doctype html>\n<p>teh é teh <a href=\"" + oldURL + "\">teh</a>\n", "b.html": "<p>changed"})
	finding := func(page string, line, column int, raw, proposal string) *result.Result {
		return &result.Result{Kind: result.KindPage, URL: page, Verdict: check.VerdictWarning, Code: "spell-typo", Proposal: proposal,
			References: []result.Reference{{Page: page, Line: line, Column: column, Raw: raw}}}
	}
	written := finding("a.html", 2, 10, "teh", "the")
	results := []*result.Result{
		written,
		finding("a.html", 2, 4, "", "shown"),
		finding("a.html", 2, 4, "teh", ""),
		finding("b.html", 1, 4, "teh", "the"),
		finding("a.html", 2, 17, `href="`, `name="`), // the link would be lost
		finding("https://e.test/", 1, 1, "teh", "the"),
		moved(oldURL, newURL, references(t, dir, "a.html", oldURL)...),
	}
	plan, err := Make(dir, dir, results, Certain, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := plan.Write(); err != nil {
		t.Fatal(err)
	}
	after, _ := os.ReadFile(filepath.Join(dir, "a.html"))
	if want := "<!doctype html>\n<p>teh é the <a href=\"" + newURL + "\">teh</a>\n"; string(after) != want {
		t.Errorf("%q, want %q", after, want)
	}
	var left []string
	for _, l := range plan.LeftOut {
		left = append(left, fmt.Sprintf("%v %v", l, l.never))
	}
	if got, want := strings.Join(left, "\n"), `a.html:2:4: the finding proposes "shown", but has no text that it replaces true
a.html:2:17: it would change how the links of the document are read false
b.html:1:4: the text at that position is no longer "teh" false`; got != want {
		t.Errorf("left out:\n%s\nwant:\n%s", got, want)
	}
	if plan.Elsewhere != 1 || !plan.Written(&written.References[0], "a.html") || plan.Written(&results[3].References[0], "b.html") {
		t.Errorf("%+v", plan)
	}
}
