package judging

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/urinorm"
)

// article is more text than a short page has.
var article = "<p>" + strings.Repeat("One word after the other makes a text. ", 30)

func TestParked(t *testing.T) {
	u, _, err := urinorm.ParseWeb("http://www.example.com/docs/api.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ name, body, want string }{
		{"a script of the service", article + `<script src="//img.sedoparking.com/x.js"></script>`, "Sedo"},
		{"ads for domains", `<html><head><script type="text/javascript" src="https://www.google.com/adsense/domains/caf.js?abp=1"></script></head><body></body></html>`, "AdSense for Domains"},
		{"a frame", `<frameset><frame src="http://ww1.parkingcrew.net/?d=example.com"></frameset>`, "ParkingCrew"},
		{"a key of the document", `<html data-adblockkey="MFwwDQYJKoZIhvcNAQEBBQADSwAwSAJBAK"><body></body>`, "data-adblockkey"},
		{"a lander", `<script>window.LANDER_SYSTEM="PW"</script><div id="root"></div>`, "GoDaddy"},
		{"a jump", `<!DOCTYPE html><html><head><script>window.onload=function(){window.location.href="/lander"}</script></head></html>`, "only opens"},
		{"a sentence", `<title>Hello</title><h1>This domain is for sale!</h1><p>Write to us.`, "this domain is for sale"},
		{"the name in a title", article + `<title>Example.com is for sale | Names</title>`, "example.com is for sale"},
		{"the name and a sentence", article + `<title>example.com - Diese Domain steht zum Verkauf!</title>`, "diese domain steht zum verkauf"},
		{"the name in a short page", `<h1>example.com</h1> <p>est &agrave; vendre`, "example.com est à vendre"},
		{"an offer", article + `<a href="https://www.afternic.com/forsale/example.com?utm=x">Buy</a>`, "Afternic"},
		{"Japanese", `<title>example.com</title>このドメインは売り出し中です`, "売り出し中"},

		{"an article about the sentence", article + `<title>What to do if "this domain is for sale"</title><p>This domain is for sale, it says.`, ""},
		{"an article about a service", article + `<p>Block <code>&lt;script src="//img.sedoparking.com/x.js"&gt;</code> and https://www.google.com/adsense/domains/caf.js`, ""},
		{"a link to the service", `<a href="https://www.sedoparking.com/">Sedo</a> <a href="https://sedo.com/">buy names</a>`, ""},
		{"an offer of another domain", `<a href="https://www.afternic.com/forsale/example.net">example.net</a>`, ""},
		{"a shop", `<title>example.com: everything is for sale</title><p>Buy this domain of knowledge.`, ""},
		{"a key of an element", `<html><div data-adblockkey="200"></div>`, ""},
		{"a program", article + `<script>const hint = "lander"; location.href = "/lander"</script>`, ""},
		{"nothing", "", ""},
	} {
		f := Parked(u, http.Header{}, []byte(row.body))
		switch {
		case row.want == "" && len(f.Warnings) > 0:
			t.Errorf("%s: %s, want none", row.name, f.Warnings[0].Message)
		case row.want != "" && (len(f.Warnings) != 1 || f.Warnings[0].Code != CodeDomainParked || !strings.Contains(f.Warnings[0].Message, row.want)):
			t.Errorf("%s: %v, want %s", row.name, f.Warnings, row.want)
		}
	}
	h := http.Header{"X-Adblock-Key": {"MFwwDQYJKoZIhvcNAQEBBQADSwAwSAJBAK_x"}}
	if f := Parked(u, h, []byte(article)); len(f.Warnings) != 1 {
		t.Errorf("a header of parking services: %v, want one warning", f.Warnings)
	}
	market, _, _ := urinorm.ParseWeb("https://sedo.com/")
	if f := Parked(market, nil, []byte(`<a href="https://sedo.com/search/details/?domain=sedo.com">x</a>`)); len(f.Warnings) > 0 {
		t.Errorf("the market itself: %v, want none", f.Warnings)
	}
}

// Each row of the table has a known kind, a mark that is matched as it is written, and a source.
func TestParkedTable(t *testing.T) {
	for i, line := range strings.Split(parkedTable, "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		cells := strings.Split(line, "\t")
		if len(cells) != 4 || cells[1] == "" || cells[3] == "" {
			t.Errorf("line %d: %q does not have four cells", i+1, line)
			continue
		}
		switch kind, mark := cells[0], cells[1]; kind {
		case "host", "url", "market", "words", "name":
			if mark != strings.ToLower(mark) || mark != strings.Join(strings.Fields(mark), " ") {
				t.Errorf("line %d: %q is compared in lower case, with single spaces", i+1, mark)
			}
		case "key", "script":
		case "jump":
			if strings.Contains(mark, " ") {
				t.Errorf("line %d: %q is compared without spaces", i+1, mark)
			}
		default:
			t.Errorf("line %d: unknown kind %q", i+1, kind)
		}
	}
	if len(parked()["words"]) < 40 || len(parked()["host"]) < 5 {
		t.Errorf("%d sentences and %d hosts were read, want more", len(parked()["words"]), len(parked()["host"]))
	}
}

// TestParkedPages looks for parked domains among the pages below the directory that
// ORBWEAVER_DOCUMENTATION names, and among those of the tests. There are none.
func TestParkedPages(t *testing.T) {
	u, _, err := urinorm.ParseWeb("https://example.com/")
	if err != nil {
		t.Fatal(err)
	}
	root := os.Getenv("ORBWEAVER_DOCUMENTATION")
	if root == "" {
		root = "../../extract/testdata/pages"
	}
	pages := 0
	err = filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || !strings.HasSuffix(path, ".html") && !strings.HasSuffix(path, ".htm") {
			return err
		}
		body, err := os.ReadFile(path)
		if f := Parked(u, nil, body); len(f.Warnings) > 0 {
			t.Errorf("%s: %s", path, f.Warnings[0].Message)
		}
		pages++
		return err
	})
	if err != nil || pages == 0 {
		t.Errorf("%d pages in %s: %v", pages, root, err)
	}
	t.Logf("%d pages", pages)
}
