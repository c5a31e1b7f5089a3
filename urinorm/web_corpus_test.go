package urinorm

import (
	"bufio"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"
)

// webCase is a test case of the standards; ../testdata/README.md names the source of
// each file.
type webCase struct {
	ID       string            `json:"id"`
	Op       string            `json:"op"`
	Profile  string            `json:"profile"`
	Input    string            `json:"input"`
	InputB64 string            `json:"input_b64"`
	Base     *string           `json:"base"`
	Charset  string            `json:"charset"`
	Expect   string            `json:"expect"`
	Error    bool              `json:"error"`
	Href     string            `json:"href"`
	Parts    map[string]string `json:"parts"`
	Agrees   struct {
		Web bool `json:"web"`
	} `json:"agrees"`
}

// webCorpus reads name.json or name.json.gz.
func webCorpus(t testing.TB, name string) []webCase {
	t.Helper()
	var r io.Reader
	f, err := os.Open("../testdata/standards/" + name + ".json")
	if err == nil {
		r = f
	} else {
		if f, err = os.Open("../testdata/standards/" + name + ".json.gz"); err != nil {
			t.Fatal(err)
		}
		if r, err = gzip.NewReader(bufio.NewReader(f)); err != nil {
			t.Fatal(err)
		}
	}
	defer f.Close()
	var cases []webCase
	if err := json.NewDecoder(r).Decode(&cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) == 0 {
		t.Fatalf("%s: no cases", name)
	}
	for i := range cases {
		if cases[i].InputB64 != "" {
			input, err := base64.StdEncoding.DecodeString(cases[i].InputB64)
			if err != nil {
				t.Fatal(err)
			}
			cases[i].Input = string(input)
		}
	}
	return cases
}

// resolveWeb runs a parse or resolve case.
func resolveWeb(c webCase) (URL, Repairs, error) {
	if c.Base == nil {
		return ParseWeb(c.Input)
	}
	u, r, err := ParseWeb(*c.Base)
	if err != nil {
		return u, r, err
	}
	base, err := NewBase(u, c.Charset)
	if err != nil {
		return URL{}, 0, err
	}
	return base.Resolve(c.Input)
}

// partsOf returns the components in the form of the URL class of the standard.
func partsOf(u URL) map[string]string {
	parts := map[string]string{
		"protocol": u.Scheme() + ":",
		"username": u.Username(),
		"password": u.Password(),
		"host":     u.Authority(),
		"hostname": u.Host(),
		"port":     u.Port(),
		"pathname": u.Path(),
	}
	if q, _ := u.Query(); q != "" {
		parts["search"] = "?" + q
	}
	if f, _ := u.Fragment(); f != "" {
		parts["hash"] = "#" + f
	}
	return parts
}

func TestWebCorpora(t *testing.T) {
	for _, name := range []string{
		"wpt-urltestdata", "web-differential", "web-recent-changes", "web-ada-extra", "hrefs-real",
		"third-party-normalizers",
	} {
		t.Run(name, func(t *testing.T) {
			for _, c := range webCorpus(t, name) {
				if strings.HasPrefix(c.Profile, "policy:") && (!c.Agrees.Web || c.Op == "host") {
					continue // hosts: TestHostCorpora
				}
				u, _, err := resolveWeb(c)
				switch {
				case c.Error && err == nil:
					t.Errorf("%s: %q base %s: got %q, want an error", c.ID, c.Input, show(c.Base), u)
				case c.Error:
				case err != nil:
					t.Errorf("%s: %q base %s: %v, want %q", c.ID, c.Input, show(c.Base), err, c.Expect)
				case u.String() != c.Expect:
					t.Errorf("%s: %q base %s:\n got %q\nwant %q", c.ID, c.Input, show(c.Base), u, c.Expect)
				default:
					got := partsOf(u)
					for part, want := range c.Parts {
						if got[part] != want {
							t.Errorf("%s: %q: %s is %q, want %q", c.ID, c.Input, part, got[part], want)
						}
					}
				}
			}
		})
	}
}

func TestHostCorpora(t *testing.T) {
	for _, name := range []string{"wpt-toascii", "wpt-idnatestv2", "third-party-normalizers"} {
		t.Run(name, func(t *testing.T) {
			for _, c := range webCorpus(t, name) {
				if c.Op != "host" || strings.HasPrefix(c.Profile, "policy:") && !c.Agrees.Web {
					continue
				}
				u, _, err := ParseWeb("https://" + c.Input + "/x")
				switch {
				case c.Error && err == nil:
					t.Errorf("%s: %q: got %q, want an error", c.ID, c.Input, u.Host())
				case c.Error:
				case err != nil:
					t.Errorf("%s: %q: %v, want %q", c.ID, c.Input, err, c.Expect)
				case u.Host() != c.Expect:
					t.Errorf("%s: %q: got %q, want %q", c.ID, c.Input, u.Host(), c.Expect)
				}
			}
		})
	}
}

func show(s *string) string {
	if s == nil {
		return "none"
	}
	return strings.TrimSpace(*s)
}

// mustBase returns a base from a valid URL.
func mustBase(t testing.TB, s, charset string) *Base {
	t.Helper()
	base, err := NewBase(mustParse(t, s), charset)
	if err != nil {
		t.Fatal(err)
	}
	return base
}

// mustParse parses a valid URL.
func mustParse(t testing.TB, s string) URL {
	t.Helper()
	u, _, err := ParseWeb(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
