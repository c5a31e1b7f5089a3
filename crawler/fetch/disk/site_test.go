package disk

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/urinorm"
)

// mustParse parses an absolute URL.
func mustParse(t testing.TB, s string) urinorm.URL {
	t.Helper()
	u, _, err := urinorm.ParseWeb(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// ask sends a request and reads the answer.
func ask(t testing.TB, f fetch.Fetcher, req *fetch.Request) (*fetch.Response, string, error) {
	t.Helper()
	resp, err := f.Fetch(t.Context(), req)
	if err != nil {
		if resp != nil {
			t.Error("both a response and an error")
		}
		return nil, "", err
	}
	if resp.Body == nil {
		return resp, "", nil
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return resp, string(text), err
}

// kindOfError returns the kind of a fault, or the text of another error.
func kindOfError(err error) string {
	var f *fetch.Fault
	switch {
	case err == nil:
		return ""
	case errors.As(err, &f):
		return f.Kind
	}
	return err.Error()
}

// writeTree creates files in a new directory; names that end in '/' are directories.
func writeTree(t testing.TB, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, file := range files {
		name, content, _ := strings.Cut(file, "=")
		path := filepath.Join(dir, filepath.FromSlash(name))
		if strings.HasSuffix(name, "/") {
			if err := os.MkdirAll(path, 0o777); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if content == "" {
			content = "content of " + name
		}
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func openSite(t testing.TB, base, dir string, style HostStyle) *Site {
	t.Helper()
	site, err := OpenSite(SiteConfig{Base: mustParse(t, base), Dir: dir, Style: style})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { site.Close() })
	return site
}

// answerOf requests a URL and returns the result in brief: the file that answered, "301
// " and the Location, a status, or the kind and hint of a fault.
func answerOf(t testing.TB, f fetch.Fetcher, dir, url string) string {
	t.Helper()
	resp, err := f.Fetch(t.Context(), &fetch.Request{URL: mustParse(t, url), Need: fetch.Content})
	var fault *fetch.Fault
	switch {
	case errors.As(err, &fault):
		return strings.TrimSpace(fault.Kind + " " + fault.Hint)
	case err != nil:
		t.Fatalf("%s: %v", url, err)
	case resp.Location != "":
		return strings.TrimSpace(strings.Join([]string{itoa(resp.Status), resp.Location}, " "))
	case resp.Status != 0:
		return itoa(resp.Status)
	}
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%s: %v", url, err)
	}
	if err := resp.Body.Close(); err != nil {
		t.Fatal(err)
	}
	rel, err := filepath.Rel(dir, resp.Path)
	if err != nil {
		t.Fatal(err)
	}
	rel = filepath.ToSlash(rel)
	if want := "content of " + rel; string(text) != want || resp.Size != int64(len(want)) || resp.Modified.IsZero() {
		t.Errorf("%s: read %q of size %d, want %q", url, text, resp.Size, want)
	}
	return rel
}

func itoa(n int) string {
	return string([]byte{byte('0' + n/100), byte('0' + n/10%10), byte('0' + n%10)})
}

func TestSitePaths(t *testing.T) {
	dir := writeTree(t, "index.html", "page.html", "both.html", "both/index.html", "dir/index.html", "old/index.htm",
		"empty/", "noindex/other.html", "Upper/Index.html", "Upper/File.HTML", "a#b.html", "what?.html", "100%.html", "%41.html", "a b.html",
		"ü.html", "weird/[x]{y}|z.html", "raw\xff.html", "plain", "LICENSE", "deep/er/est/x.css")
	for _, row := range []struct{ url, want string }{
		{"https://example.com/", "index.html"},
		{"https://example.com/?q=1", "index.html"},
		{"https://example.com/index.html#frag", "index.html"},
		{"https://example.com/page.html", "page.html"},
		{"https://example.com/page", "page.html"},
		{"https://example.com/page/", "file-missing"},
		{"https://example.com/page.html/", "file-missing"},
		{"https://example.com/both", "both.html"},
		{"https://example.com/both/", "both/index.html"},
		{"https://example.com/dir", "301 /dir/"},
		{"https://example.com/dir?a=b&c", "301 /dir/?a=b&c"},
		{"https://example.com/dir/", "dir/index.html"},
		{"https://example.com/old/", "old/index.htm"},
		{"https://example.com/empty/", "file-missing"},
		{"https://example.com/noindex/", "file-missing"},
		{"https://example.com/noindex", "file-missing"},
		{"https://example.com/gone.html", "file-missing"},
		{"https://example.com/gone/", "file-missing"},
		{"https://example.com/gone/x.html", "file-missing"},
		{"https://example.com/page.html/x", "file-missing"},
		{"https://example.com/deep/er/est/x.css", "deep/er/est/x.css"},
		{"https://example.com//deep//er/est/x.css", "307 /deep/er/est/x.css"},
		{"https://example.com/plain", "plain"},

		{"https://example.com/PAGE.html", "file-case page.html"},
		{"https://example.com/PAGE", "file-case page"},
		{"https://example.com/upper/file.html", "file-case Upper/File.HTML"},
		{"https://example.com/Upper/file.html", "file-case Upper/File.HTML"},
		{"https://example.com/upper/gone.html", "file-missing"},
		{"https://example.com/DIR/", "file-case dir/"},
		{"https://example.com/DIR", "file-case dir"},
		{"https://example.com/Upper/", "file-case Upper/Index.html"},
		{"https://example.com/license", "file-case LICENSE"},

		{"https://example.com/a%23b.html", "a#b.html"},
		{"https://example.com/what%3F.html", "what?.html"},
		{"https://example.com/100%25.html", "100%.html"},
		{"https://example.com/100%.html", "100%.html"},
		{"https://example.com/%2541.html", "%41.html"},
		{"https://example.com/%41.html", "file-missing"},
		{"https://example.com/a b.html", "a b.html"},
		{"https://example.com/a%20b.html", "a b.html"},
		{"https://example.com/a+b.html", "file-missing"},
		{"https://example.com/ü.html", "ü.html"},
		{"https://example.com/%C3%BC.html", "ü.html"},
		{"https://example.com/%c3%bc.html", "ü.html"},
		{"https://example.com/weird/[x]{y}|z.html", "weird/[x]{y}|z.html"},
		{"https://example.com/raw%FF.html", "raw\xff.html"},
		{"https://example.com/deep%2Fer/est/x.css", "file-missing"},
		{"https://example.com/page.html%00", "file-missing"},
		{"https://example.com/%2e%2e/%2e%2e/etc/passwd", "file-missing"},
		{"https://example.com/..%2f..%2fetc/passwd", "file-missing"},
		{"https://example.com/..%5c..%5cetc", "file-missing"},
		{"https://example.com/dir/../page.html", "page.html"},
		{"https://example.com/../../page.html", "page.html"},
	} {
		site := openSite(t, "https://example.com/", dir, hostAuto)
		// The second round uses the cached listings of the first.
		for range 2 {
			if got := answerOf(t, site, dir, row.url); got != row.want {
				t.Errorf("%s: %s, want %s", row.url, got, row.want)
			}
		}
	}
}

func TestSiteStyles(t *testing.T) {
	dir := writeTree(t, "index.html", "file.html", "folder/index.html", "both.html", "both/index.html", "old/index.htm")
	paths := []string{"/file", "/file/", "/file.html", "/folder", "/folder/", "/both", "/both/", "/old/"}
	for _, row := range []struct {
		style HostStyle
		want  []string
	}{
		{hostAuto, []string{"file.html", "file-missing", "file.html", "301 /folder/", "folder/index.html", "both.html", "both/index.html", "old/index.htm"}},
		{hostPlain, []string{"file-missing", "file-missing", "file.html", "301 /folder/", "folder/index.html", "301 /both/", "both/index.html", "old/index.htm"}},
		{hostNginx, []string{"file-missing", "file-missing", "file.html", "301 /folder/", "folder/index.html", "301 /both/", "both/index.html", "old/index.htm"}},
		{hostGitHubPages, []string{"file.html", "file-missing", "file.html", "301 /folder/", "folder/index.html", "both.html", "both/index.html", "file-missing"}},
		{hostNetlify, []string{"file.html", "301 /file", "file.html", "301 /folder/", "folder/index.html", "both.html", "301 /both", "file-missing"}},
	} {
		site := openSite(t, "https://example.com/", dir, row.style)
		if site.locator.style != row.style {
			t.Errorf("%v became %v", row.style, site.locator.style)
		}
		for i, path := range paths {
			if got := answerOf(t, site, dir, "https://example.com"+path); got != row.want[i] {
				t.Errorf("%v %s: %s, want %s", row.style, path, got, row.want[i])
			}
		}
	}
	for _, name := range HostStyles() {
		if style, err := ParseHostStyle(name); err != nil || style.String() != name {
			t.Errorf("ParseHostStyle(%q) = %v, %v", name, style, err)
		}
	}
	if _, err := ParseHostStyle("apache"); err == nil {
		t.Error("apache was accepted as a host style")
	}
}

func TestSiteOfSources(t *testing.T) {
	dir := writeTree(t, "README.md", "docs/README.md", "docs/guide.md", "blog/index.md", "src/main.c", "src/Deep/a.c")
	site := openSite(t, "https://example.com/", dir, hostAuto)
	for url, want := range map[string]string{
		"https://example.com/":            "README.md",
		"https://example.com/docs/":       "docs/README.md",
		"https://example.com/blog/":       "blog/index.md",
		"https://example.com/docs":        "301 /docs/",
		"https://example.com/source/":     "file-missing",
		"https://example.com/SRC/":        "file-case src/",
		"https://example.com/src/deep":    "file-case src/Deep",
		"https://example.com/src/main.c/": "file-missing",
	} {
		if got := answerOf(t, site, dir, url); got != want {
			t.Errorf("%s: %s, want %s", url, got, want)
		}
	}
	for url, want := range map[string]string{"https://example.com/src": "src", "https://example.com/src/Deep/": "src/Deep"} {
		resp, err := site.Fetch(t.Context(), &fetch.Request{URL: mustParse(t, url), Need: fetch.Content})
		if err != nil {
			t.Errorf("%s is not listed: %v", url, err)
		} else if resp.Body != nil || resp.Location != "" || resp.Path != filepath.Join(dir, filepath.FromSlash(want)) {
			t.Errorf("%s: %+v, want the directory %s", url, resp, want)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	if got := answerOf(t, openSite(t, "https://example.com/", dir, hostAuto), dir, "https://example.com/empty"); got != "file-missing" {
		t.Errorf("an empty directory is listed: %s", got)
	}
	// A directory that is not a repository is not shown by a code host.
	dir = writeTree(t, "guide.md", "src/main.c", "readme/a.txt")
	site = openSite(t, "https://example.com/", dir, hostAuto)
	if got := answerOf(t, site, dir, "https://example.com/src/"); got != "file-missing" {
		t.Errorf("a directory is listed without a README: %s", got)
	}
	// A built site is not a source tree.
	dir = writeTree(t, "index.html", "downloads/README.md")
	site = openSite(t, "https://example.com/", dir, hostAuto)
	if got := answerOf(t, site, dir, "https://example.com/downloads/"); got != "file-missing" {
		t.Errorf("README.md answers on a built site: %s", got)
	}
}

// TestPagesOfGenerators checks links to pages that mdBook and other generators will
// create from existing documents.
func TestPagesOfGenerators(t *testing.T) {
	files := []string{"SUMMARY.md", "guide.md", "guide/a.txt", "a b.rst", "both.html", "both.md", "book/README.md", "blog/index.markdown", "myindex/README.md", "Upper.adoc",
		"dir.html/a.md", "public/logo.png", "public/sub/a b.pdf"}
	pages := map[string]string{
		"guide.html":      "307 /sub/guide.md",
		"guide.html?q":    "307 /sub/guide.md?q",
		"a%20b.html":      "307 /sub/a%20b.rst",
		"both.html":       "both.html",
		"book/index.html": "307 /sub/book/README.md",
		"blog/index.html": "307 /sub/blog/index.markdown",
	}
	clean := map[string]string{"guide": "307 /sub/guide.md", "a%20b": "307 /sub/a%20b.rst", "blog/index": "307 /sub/blog/index.markdown"}
	public := map[string]string{"logo.png": "307 /sub/public/logo.png", "sub/a%20b.pdf": "307 /sub/public/sub/a%20b.pdf"}
	missing := []string{"guide/", "guide.html/", "upper.html", "dir.html", "index.html", "my/index.html", "myindex.html", "guide.html/a.css", "public", "gone.png"}
	for _, of := range []struct {
		marker string
		style  HostStyle
		named  []map[string]string
	}{
		{"book.toml", hostAuto, []map[string]string{pages}},
		{".vitepress/config.ts", hostAuto, []map[string]string{pages, clean, public}},
		{"_config.yml", hostAuto, []map[string]string{pages, clean}},
		{"conf.py", hostAuto, nil}, // it has no index
		{"LICENSE", hostAuto, nil},
		{"book.toml", hostPlain, nil},
		{"book.toml", hostGitHubPages, nil},
		{"book.toml", hostNetlify, nil},
		{"book.toml", hostNginx, nil},
	} {
		want := map[string]string{}
		for _, all := range []map[string]string{pages, clean, public} {
			for path := range all {
				want[path] = "file-missing"
			}
		}
		for _, path := range missing {
			want[path] = "file-missing"
		}
		want["both.html"] = "both.html"
		for _, named := range of.named {
			maps.Copy(want, named)
		}
		site := openSite(t, "https://example.com/sub/", writeTree(t, append(files, of.marker)...), of.style)
		for path, want := range want {
			if got := answerOf(t, site, site.Dir(), "https://example.com/sub/"+path); got != want {
				t.Errorf("%s, %v: %s: %s, want %s", of.marker, of.style, path, got, want)
			}
		}
	}
	site := openSite(t, "https://example.com/", writeTree(t, "conf.py", "index.rst", "guide.rst"), hostAuto)
	if got := answerOf(t, site, site.Dir(), "https://example.com/guide.html"); got != "307 /guide.rst" {
		t.Errorf("Sphinx: %s", got)
	}
	// A built site is not a source tree, whatever other files it contains.
	site = openSite(t, "https://example.com/", writeTree(t, append(files, "book.toml", "index.html")...), hostAuto)
	if got := answerOf(t, site, site.Dir(), "https://example.com/guide.html"); got != "file-missing" {
		t.Errorf("a built site publishes sources: %s", got)
	}
}

func TestSiteUnderPath(t *testing.T) {
	dir := writeTree(t, "index.html", "page.html", "dir/index.html", "sub/page.html")
	for _, base := range []string{"https://example.com/sub/", "https://example.com/sub"} {
		site := openSite(t, base, dir, hostAuto)
		for url, want := range map[string]string{
			"https://example.com/sub/":             "index.html",
			"https://example.com/sub":              "301 /sub/",
			"https://example.com/sub?x":            "301 /sub/?x",
			"https://example.com/sub/page.html":    "page.html",
			"https://example.com/sub/dir":          "301 /sub/dir/",
			"https://example.com/sub/sub/page":     "sub/page.html",
			"http://example.com/sub/page.html":     "307 https://example.com/sub/page.html",
			"https://www.example.com/sub/page?q#f": "307 https://example.com/sub/page?q",
			"https://example.com/page.html":        "file-outside-root",
			"https://example.com/subway/page.html": "file-outside-root",
		} {
			if got := answerOf(t, site, dir, url); got != want {
				t.Errorf("%s: %s, want %s", url, got, want)
			}
			if holds := site.Holds(mustParse(t, url)); holds != (want != "file-outside-root") {
				t.Errorf("Holds(%s) = %v", url, holds)
			}
		}
		for _, url := range []string{"https://example.org/sub/", "https://example.com:8443/sub/", "ftp://example.com/sub/", "mailto:a@example.com"} {
			if site.Holds(mustParse(t, url)) {
				t.Errorf("Holds is true for %s", url)
			}
		}
	}
	site, err := OpenSite(SiteConfig{Base: mustParse(t, "https://1.site.invalid/"), Dir: dir, Synthetic: true})
	if err != nil {
		t.Fatal(err)
	}
	defer site.Close()
	if site.Holds(mustParse(t, "http://1.site.invalid/")) || !site.Synthetic() || site.Dir() != dir {
		t.Error("a synthetic base has alternate hosts")
	}
}

func TestSiteLinks(t *testing.T) {
	outside := writeTree(t, "secret.html", "dir/x.html")
	dir := writeTree(t, "index.html", "real.html", "dir/x.html")
	for link, target := range map[string]string{
		"inside.html":   "real.html",
		"dir/up.html":   "../real.html",
		"linked":        "dir",
		"absolute.html": filepath.Join(dir, "real.html"),
		"absolute":      filepath.Join(dir, "dir"),
		"out.html":      filepath.Join(outside, "secret.html"),
		"outrel.html":   "../" + filepath.Base(outside) + "/secret.html",
		"outdir":        filepath.Join(outside, "dir"),
		"dangling.html": "nowhere.html",
		"loop.html":     "loop.html",
	} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	site := openSite(t, "https://example.com/", dir, hostAuto)
	for url, want := range map[string]string{
		"inside.html":    "",
		"dir/up.html":    "",
		"linked/x.html":  "",
		"absolute.html":  "",
		"absolute/x":     "",
		"out.html":       "file-outside-root",
		"outrel.html":    "file-outside-root",
		"outdir":         "file-outside-root",
		"outdir/":        "file-outside-root",
		"outdir/x.html":  "file-outside-root",
		"dangling.html":  "file-missing",
		"loop.html":      "file-unreadable",
		"linked":         "file-missing",
		"linked/up.html": "",
	} {
		resp, err := site.Fetch(t.Context(), &fetch.Request{URL: mustParse(t, "https://example.com/"+url)})
		var fault *fetch.Fault
		switch {
		case errors.As(err, &fault):
			if fault.Kind != want {
				t.Errorf("%s: %v (%s), want %q", url, err, fault.Kind, want)
			}
			if fault.Requests != 1 || fault.Target == "" {
				t.Errorf("%s: %+v", url, fault)
			}
		case err != nil:
			t.Errorf("%s: %v", url, err)
		case want == "301" && resp.Status != 301, want != "" && want != "301":
			t.Errorf("%s: %+v, want %s", url, resp, want)
		}
	}
	var names []string
	err := site.Walk(nil, func(rel string, d fs.DirEntry) error { names = append(names, rel); return nil })
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"absolute.html", "dir/up.html", "dir/x.html", "index.html", "inside.html", "real.html"}; !slices.Equal(names, want) {
		t.Errorf("walked %q, want %q", names, want)
	}
}

func TestSiteFaultTexts(t *testing.T) {
	dir := writeTree(t, "index.html", "Page.html", "empty/", "file.txt")
	site := openSite(t, "https://example.com/", dir, hostAuto)
	for url, want := range map[string]string{
		"empty":     "open " + filepath.Join(dir, "empty") + ": the directory has no index.html",
		"gone.html": "open " + filepath.Join(dir, "gone.html") + ": there is no such file",
		"empty/":    "open " + filepath.Join(dir, "empty") + string(filepath.Separator) + ": the directory has no index.html",
		"file.txt/": "open " + filepath.Join(dir, "file.txt") + string(filepath.Separator) + ": it is a file, not a directory",
		"page.html": "open " + filepath.Join(dir, "page.html") + ": the name differs in letter case",
		"a%2Fb":     "open " + filepath.Join(dir, "a%2Fb") + ": a file name cannot contain an encoded slash or NUL",
	} {
		_, err := site.Fetch(t.Context(), &fetch.Request{URL: mustParse(t, "https://example.com/"+url)})
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v\nwant %s", url, err, want)
		}
	}
}

func TestSiteNormalizationForms(t *testing.T) {
	const composed, decomposed = "\u00fc", "u\u0308"
	dir := writeTree(t, "index.html", decomposed+"/"+decomposed+".html=x", "both-"+composed+".html=c", "both-"+decomposed+".html=d")
	site := openSite(t, "https://example.com/", dir, hostAuto)
	for _, row := range []struct {
		path string
		body string
		note bool
	}{
		{decomposed + "/" + decomposed + ".html", "x", false},
		{composed + "/" + composed + ".html", "x", true},
		{composed + "/" + composed, "x", true},
		{"both-" + composed + ".html", "c", false},
		{"both-" + decomposed + ".html", "d", false},
	} {
		resp, err := site.Fetch(t.Context(), &fetch.Request{URL: mustParse(t, "https://example.com/"+row.path), Need: fetch.Content})
		if err != nil {
			t.Errorf("%+q: %v", row.path, err)
			continue
		}
		text, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if string(text) != row.body || (len(resp.Notes) == 1 && resp.Notes[0].Code == "uri-repaired") != row.note {
			t.Errorf("%+q: read %q, notes %v", row.path, text, resp.Notes)
		}
	}
	_, err := site.Fetch(t.Context(), &fetch.Request{URL: mustParse(t, "https://example.com/\u00dc/x")})
	var fault *fetch.Fault
	if !errors.As(err, &fault) || fault.Kind != "file-missing" {
		t.Errorf("another letter case: %v", err)
	}
}

func TestSiteExistence(t *testing.T) {
	dir := writeTree(t, "index.html", "a.PNG", "b.unknown", "page.xhtml")
	site := openSite(t, "https://example.com/", dir, hostAuto)
	for path, want := range map[string]string{"": "text/html", "a.PNG": "image/png", "b.unknown": "", "page.xhtml": "application/xhtml+xml"} {
		resp, err := site.Fetch(t.Context(), &fetch.Request{URL: mustParse(t, "https://example.com/"+path)})
		if err != nil {
			t.Fatal(err)
		}
		if resp.Body != nil || resp.ContentType != want || resp.Size <= 0 || resp.Requests != 1 || resp.Status != 0 {
			t.Errorf("%q: %+v", path, resp)
		}
	}
}

func TestOpenSiteErrors(t *testing.T) {
	dir := writeTree(t, "file")
	for name, config := range map[string]SiteConfig{
		"no directory": {Base: mustParse(t, "https://example.com/"), Dir: filepath.Join(dir, "nowhere")},
		"a file":       {Base: mustParse(t, "https://example.com/"), Dir: filepath.Join(dir, "file")},
		"no base":      {Dir: dir},
		"ftp":          {Base: mustParse(t, "ftp://example.com/"), Dir: dir},
		"style":        {Base: mustParse(t, "https://example.com/"), Dir: dir, Style: 99},
	} {
		if site, err := OpenSite(config); err == nil {
			site.Close()
			t.Errorf("%s: no error", name)
		}
	}
}

func TestSiteWalkAndURLs(t *testing.T) {
	files := []string{"index.html", "a/b.html", "a.html", "a-z.html", "100%.html", "a b#c?.html", "ü.md", ".well-known/x.json", ".git/config", "raw\xff", "semi;colon:at@.html", "a-d/e.html", "ab/c.html", "a.d/f.html", "A/g.html", "a0", `back\slash.html`, "z/.git/HEAD"}
	dir := writeTree(t, files...)
	site := openSite(t, "https://example.com/sub/", dir, hostAuto)
	var names []string
	if err := site.Walk(nil, func(rel string, d fs.DirEntry) error {
		names = append(names, rel)
		u, err := site.URLOf(rel)
		if err != nil {
			t.Errorf("URLOf(%q): %v", rel, err)
			return nil
		}
		resp, err := site.Fetch(t.Context(), &fetch.Request{URL: u})
		if err != nil {
			t.Errorf("%s: %v", u, err)
			return nil
		}
		if want := filepath.Join(dir, rel); resp.Path != want || site.PathOf(u) != want {
			t.Errorf("URLOf(%q) = %s, which leads to %s (%s)", rel, u, resp.Path, site.PathOf(u))
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	want := slices.DeleteFunc(slices.Clone(files), func(s string) bool { return strings.Contains(s, ".git/") })
	slices.Sort(want)
	if !slices.Equal(names, want) {
		t.Errorf("walked %q\nwant   %q", names, want)
	}
	stop := errors.New("stop")
	for _, row := range []struct {
		give error
		want error
		seen int
	}{{fs.SkipAll, nil, 1}, {stop, stop, 1}} {
		seen := 0
		if err := site.Walk(nil, func(string, fs.DirEntry) error { seen++; return row.give }); !errors.Is(err, row.want) || seen != row.seen {
			t.Errorf("Walk with %v: %v after %d files", row.give, err, seen)
		}
	}
	if u, err := site.URLOf("a/"); err != nil || u.String() != "https://example.com/sub/a/" || site.PathOf(u) != filepath.Join(dir, "a")+string(filepath.Separator) {
		t.Errorf("URLOf(a/) = %s, %v", u, err)
	}
}

func TestSiteIsExactPath(t *testing.T) {
	dir := t.TempDir()
	site := openSite(t, "https://0.site.invalid/docs/", dir, hostAuto)
	for _, tt := range []struct {
		url, file string
		want      bool
	}{
		{"https://0.site.invalid/docs/a/b.html", "a/b.html", true},
		{"https://0.site.invalid/docs/a/b.html", "b.html", false},
		{"https://0.site.invalid/docs/b.html", "a/b.html", false},
		{"https://0.site.invalid/docs/a/", "a/index.html", false},
		{"https://0.site.invalid/docs/a/b", "a/b.html", false},
		{"https://0.site.invalid/docs/a/b.html?q", "a/b.html", false},
		{"https://0.site.invalid/docs/%41.html", "%41.html", false},
		{"https://0.site.invalid/docs/%41.html", "A.html", false},
		{"https://0.site.invalid/docs/", "", false},
		{"https://0.site.invalid/", "index.html", false},
	} {
		if got := site.IsExactPath(mustParse(t, tt.url), filepath.Join(dir, filepath.FromSlash(tt.file))); got != tt.want {
			t.Errorf("%s names %s: %t, want %t", tt.url, tt.file, got, tt.want)
		}
	}
}
