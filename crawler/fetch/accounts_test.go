package fetch

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// The examples of RFC 7616 section 3.9.
func TestDigestExamples(t *testing.T) {
	user := &account{"Mufasa", "Circle of Life"}
	for algorithm, want := range map[string]string{
		"MD5":     "8ca523f5e9506fed4657c9700eebdbec",
		"SHA-256": "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1",
	} {
		c := newDigestChallenge(map[string]string{
			"realm": "http-auth@example.org", "qop": "auth, auth-int", "algorithm": algorithm,
			"nonce": "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", "opaque": "FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS",
		})
		got := c.respond(user, "GET", "/dir/index.html", "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", 1)
		wantHeader := `Digest username="Mufasa", realm="http-auth@example.org", nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", ` +
			`uri="/dir/index.html", response="` + want + `", algorithm=` + algorithm + `, opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS", ` +
			`qop=auth, nc=00000001, cnonce="f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"`
		if got != wantHeader {
			t.Errorf("%s:\n%s\nwant\n%s", algorithm, got, wantHeader)
		}
	}
	// SHA-512/256 with a hashed user name (section 3.9.2).
	c := newDigestChallenge(map[string]string{
		"realm": "api@example.org", "qop": "auth", "algorithm": "SHA-512-256", "userhash": "true",
		"nonce": "5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", "opaque": "HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS",
	})
	got := c.respond(&account{"J\u00e4s\u00f8n Doe", "Secret, or not?"}, "GET", "/doe.json", "NTg6RKcb9boFIAS3KrFK9BGeh+niz/sm", 1)
	for _, part := range []string{`username="793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b"`, `userhash=true`, `algorithm=SHA-512-256`} {
		if !strings.Contains(got, part) {
			t.Errorf("%s lacks %s", got, part)
		}
	}
	// Without qop, the response follows RFC 2069.
	old := newDigestChallenge(map[string]string{"realm": "r", "nonce": "n"}).respond(user, "GET", "/", "c", 1)
	if strings.Contains(old, "cnonce") || strings.Contains(old, "algorithm") || strings.Contains(old, "opaque") {
		t.Errorf("%s", old)
	}
	for _, params := range []map[string]string{
		{"realm": "r"}, {"nonce": "n", "qop": "auth-int"}, {"nonce": "n", "algorithm": "ROT13"},
	} {
		if newDigestChallenge(params) != nil {
			t.Errorf("%v is a challenge", params)
		}
	}
}

func TestParseChallenges(t *testing.T) {
	for _, row := range []struct {
		lines []string
		want  []challenge
	}{
		{[]string{`Basic realm="simple"`}, []challenge{{"Basic", map[string]string{"realm": "simple"}}}},
		{[]string{`Digest realm="a, b", nonce="x\"y", stale=TRUE, Basic realm="c"`},
			[]challenge{{"Digest", map[string]string{"realm": "a, b", "nonce": `x"y`, "stale": "TRUE"}}, {"Basic", map[string]string{"realm": "c"}}}},
		{[]string{"Negotiate", "NTLM", `Basic realm=x`}, []challenge{{"Negotiate", map[string]string{}}, {"NTLM", map[string]string{}}, {"Basic", map[string]string{"realm": "x"}}}},
		{[]string{`Digest realm = "spaced" , nonce=n`}, []challenge{{"Digest", map[string]string{"realm": "spaced", "nonce": "n"}}}},
		{[]string{`Basic realm="open`}, []challenge{{"Basic", map[string]string{"realm": "open"}}}},
		{[]string{``, `,,`}, nil},
	} {
		if got := parseChallenges(row.lines); !reflect.DeepEqual(got, row.want) {
			t.Errorf("%q: %v, want %v", row.lines, got, row.want)
		}
	}
}

func FuzzParseChallenges(f *testing.F) {
	f.Add(`Digest realm="a, b", nonce="x\"y", stale=TRUE, Basic realm="c"`)
	f.Add("=,=x \t\"")
	f.Add("a=b, c")
	f.Fuzz(func(t *testing.T, line string) {
		for _, c := range parseChallenges([]string{line}) {
			if c.scheme == "" {
				t.Errorf("%q has a challenge without a scheme", line)
			}
			newDigestChallenge(c.params)
		}
	})
}

// digestServer verifies Digest authentication.
func digestServer(realm, name, password string, nonces *int) http.HandlerFunc {
	sum := func(parts ...string) string {
		h := sha256.Sum256([]byte(strings.Join(parts, ":")))
		return hex.EncodeToString(h[:])
	}
	return func(w http.ResponseWriter, r *http.Request) {
		nonce := fmt.Sprint("nonce", *nonces)
		challenge := func(stale bool) {
			w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Digest realm=%q, nonce=%q, qop="auth", algorithm=SHA-256, opaque="o", stale=%v, Basic realm="no"`, realm, nonce, stale))
			w.WriteHeader(401)
		}
		given := parseChallenges(r.Header["Authorization"])
		if len(given) != 1 || given[0].scheme != "Digest" {
			challenge(false)
			return
		}
		p := given[0].params
		want := sum(sum(name, realm, password), p["nonce"], p["nc"], p["cnonce"], "auth", sum(r.Method, r.RequestURI))
		switch {
		case p["response"] != want || p["username"] != name || p["uri"] != r.RequestURI || p["opaque"] != "o":
			challenge(false)
		case p["nonce"] != nonce:
			challenge(true)
		default:
			fmt.Fprint(w, "in by "+p["nc"])
		}
	}
}

func TestDigest(t *testing.T) {
	nonces := 1
	server, rec := serve(t, digestServer("the realm", "me", "open, sesame", &nonces))
	start := NewOrigins(mustParse(t, "http://example.com/"))
	h := newHTTP(t, HTTPConfig{Secrets: Secrets{Credentials: "me:open, sesame", Origins: start}, ConnectTo: toLoopback(server)})
	for i, row := range []struct {
		url      string
		status   int
		text     string
		requests int
	}{
		{"http://example.com/a?b", 200, "in by 00000001", 2},
		{"http://example.com/c", 200, "in by 00000002", 1},
		{"http://example.com/stale", 200, "in by 00000001", 2},
		{"http://example.com:8080/out", 401, "", 1},
		{"http://example.org/", 401, "", 1},
	} {
		if strings.HasSuffix(row.url, "stale") {
			nonces++
		}
		resp, text, err := ask(t, h, &Request{URL: mustParse(t, row.url), Need: Content, Internal: true})
		if err != nil || resp.Status != row.status || text != row.text || resp.Requests != row.requests {
			t.Errorf("%d %s: %+v %q, %v", i, row.url, resp, text, err)
		}
	}
	for _, r := range rec.requests {
		if strings.Contains(r.Header.Get("Authorization"), "Basic") {
			t.Error("the password was sent over plain HTTP")
		}
	}
	// The method is part of the Digest response, so HEAD differs from GET.
	if resp, _, err := ask(t, h, &Request{URL: mustParse(t, "http://example.com/c"), Internal: true}); err != nil || resp.Status != 200 || resp.Requests != 1 {
		t.Errorf("HEAD: %+v, %v", resp, err)
	}
	wrong := newHTTP(t, HTTPConfig{Secrets: Secrets{Credentials: "me:wrong", Origins: start}, ConnectTo: toLoopback(server)})
	if resp, _, err := ask(t, wrong, &Request{URL: mustParse(t, "http://example.com/"), Need: Content, Internal: true}); err != nil || resp.Status != 401 || resp.Requests != 2 {
		t.Errorf("wrong password: %+v, %v", resp, err)
	}
}

// TestProtectionSpaces requests parts of one host with different realms and schemes in
// all orders: each part has its own challenge and the result is always the same.
func TestProtectionSpaces(t *testing.T) {
	for _, order := range [][]int{{0, 1, 2, 3}, {0, 2, 1, 3}, {1, 0, 3, 2}, {1, 2, 0, 3}, {2, 0, 1, 3}, {2, 1, 3, 0}, {3, 2, 1, 0}} {
		nonces := [2]int{1, 1000}
		a, b := digestServer("a", "me", "word", &nonces[0]), digestServer("b", "me", "word", &nonces[1])
		server, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
			switch {
			case strings.HasPrefix(r.URL.Path, "/a/"):
				a(w, r)
			case strings.HasPrefix(r.URL.Path, "/b/"):
				b(w, r)
			case strings.HasPrefix(r.URL.Path, "/basic/"):
				if name, password, _ := r.BasicAuth(); name != "me" || password != "word" {
					w.Header().Set("WWW-Authenticate", `Basic realm="c"`)
					w.WriteHeader(401)
				}
			default: // closed to everybody
				w.Header().Set("WWW-Authenticate", `Digest realm="closed", nonce="n", qop="auth"`)
				w.WriteHeader(401)
			}
		})
		h := newHTTP(t, HTTPConfig{Secrets: Secrets{Credentials: "me:word", Origins: NewOrigins(mustParse(t, "http://example.com/"))}, ConnectTo: toLoopback(server)})
		for round := range 3 {
			for _, i := range order {
				path := []string{"/a/x", "/b/x/", "/basic/x?q", "/closed"}[i]
				want, requests := []int{200, 200, 200, 401}[i], []int{1, 1, 1, 2}[i]
				resp, _, err := ask(t, h, &Request{URL: mustParse(t, "http://example.com"+path), Need: Content, Internal: true})
				if err != nil || resp.Status != want || round > 0 && resp.Requests > requests {
					t.Errorf("order %v, round %d, %s: %+v, %v", order, round, path, resp, err)
				}
			}
			nonces[0]++ // stale
			for _, i := range []int{0, 1, 2} {
				path := []string{"/a/y", "/b/x/z", "/basic/x"}[i]
				if resp, _, err := ask(t, h, &Request{URL: mustParse(t, "http://example.com"+path), Internal: true}); err != nil || resp.Status != 200 {
					t.Errorf("order %v, round %d, HEAD %s: %+v, %v", order, round, path, resp, err)
				}
			}
		}
	}
}

// TestDigestDomain checks that the parameter domain extends a protection space (RFC 7616
// section 3.3), but not to other hosts.
func TestDigestDomain(t *testing.T) {
	server, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "" {
			w.Header().Set("WWW-Authenticate", `Digest realm="r", nonce="n", qop="auth", domain="/here ../there/ http://example.org/"`)
			w.WriteHeader(401)
		}
	})
	h := newHTTP(t, HTTPConfig{Secrets: Secrets{Credentials: "me:word", Origins: NewOrigins(mustParse(t, "http://example.com/"), mustParse(t, "http://example.org/"))}, ConnectTo: toLoopback(server)})
	for _, row := range []struct {
		url      string
		requests int
	}{
		{"http://example.com/first/page", 2}, {"http://example.com/first/", 1}, {"http://example.com/here", 1},
		{"http://example.com/here/x/y?z", 1}, {"http://example.com/there/x", 1}, {"http://example.com/elsewhere", 2}, {"http://example.org/", 2},
	} {
		if resp, _, err := ask(t, h, &Request{URL: mustParse(t, row.url), Need: Content, Internal: true}); err != nil || resp.Status != 200 || resp.Requests != row.requests {
			t.Errorf("%s: %+v, %v", row.url, resp, err)
		}
	}
}

func TestBasic(t *testing.T) {
	server, rec := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if name, password, _ := r.BasicAuth(); name != "me" || password != "a:b" {
			w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
			w.WriteHeader(401)
		}
	})
	// Over plain HTTP, credentials are sent only on request.
	h := newHTTP(t, HTTPConfig{Secrets: Secrets{Credentials: "me:a:b", Origins: NewOrigins(mustParse(t, "http://example.com/"))}, ConnectTo: toLoopback(server)})
	for i, want := range []int{2, 1} {
		resp, _, err := ask(t, h, &Request{URL: mustParse(t, "http://example.com/"), Need: Content, Internal: true})
		if err != nil || resp.Status != 200 || resp.Requests != want {
			t.Errorf("%d: %+v, %v", i, resp, err)
		}
	}
	resp, _, err := ask(t, h, &Request{URL: mustParse(t, "http://example.org/"), Need: Content})
	if err != nil || resp.Status != 401 || rec.last().Header.Get("Authorization") != "" {
		t.Errorf("external: %+v, %v", resp, err)
	}
	// Connections within the machine are private.
	local := newHTTP(t, HTTPConfig{Secrets: Secrets{Credentials: "me:a:b", Origins: NewOrigins(mustParse(t, server.URL))}})
	if resp, _, err := ask(t, local, &Request{URL: mustParse(t, server.URL), Need: Content, Internal: true}); err != nil || resp.Status != 200 || resp.Requests != 1 {
		t.Errorf("loopback: %+v, %v", resp, err)
	}
	// A given Authorization header takes precedence, and is not replaced if it is
	// wrong.
	resp, _, err = ask(t, local, &Request{URL: mustParse(t, server.URL), Need: Content, Internal: true, Header: http.Header{"Authorization": {"Bearer x"}}})
	if err != nil || resp.Status != 401 || resp.Requests != 1 || rec.last().Header.Get("Authorization") != "Bearer x" {
		t.Errorf("own header: %+v, %v", resp, err)
	}
	// A page cannot make the crawler log in.
	u := strings.Replace(server.URL, "://", "://me:a:b@", 1)
	none := newHTTP(t, HTTPConfig{Secrets: Secrets{Origins: NewOrigins(mustParse(t, server.URL))}})
	if resp, _, err := ask(t, none, &Request{URL: mustParse(t, u), Need: Content, Internal: true}); err != nil || resp.Status != 401 || rec.last().Header.Get("Authorization") != "" {
		t.Errorf("userinfo: %+v, %v", resp, err)
	}
	if _, err := NewHTTP(HTTPConfig{Secrets: Secrets{Credentials: "no password"}}); err == nil || strings.Contains(err.Error(), "no password") {
		t.Errorf("%v", err)
	}
}

func TestNetrc(t *testing.T) {
	machines, fallback, err := parseNetrc(`
# a comment
machine Example.com login me password s3cret
machine example.org
	login "quoted name"
	password "with \"quotes\" and # blanks"
	account x
macdef init
	cd /pub
	machine evil.example login x password y

machine example.com login second password second
machine empty.example
default login anonymous password guest@example.com
default login other password other
`)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]account{
		"example.com":   {"me", "s3cret"},
		"example.org":   {"quoted name", `with "quotes" and # blanks`},
		"empty.example": {},
	}
	if !reflect.DeepEqual(machines, want) || fallback == nil || *fallback != (account{"anonymous", "guest@example.com"}) {
		t.Errorf("%q, %v", machines, fallback)
	}
	for text, want := range map[string]string{
		"login x":             "login before any machine",
		"machine":             "line 1: no value after machine",
		"machine a\npassword": "line 2: no value after password",
		"s3cret":              "line 1: expected machine, default, login, password, account or macdef",
	} {
		if _, _, err := parseNetrc(text); err == nil || err.Error() != want {
			t.Errorf("%q: %v", text, err)
		}
	}

	server, rec := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "" {
			w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
			w.WriteHeader(401)
		}
	})
	file := filepath.Join(t.TempDir(), "netrc")
	if err := os.WriteFile(file, []byte("machine example.com login me password s3cret\ndefault login any password thing\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	config := HTTPConfig{Secrets: Secrets{Netrc: file, Origins: NewOrigins(mustParse(t, "http://example.net/"), mustParse(t, "http://example.com:8081/"))}, ConnectTo: toLoopback(server)}
	h := newHTTP(t, config)
	config.NetrcAnyPort = true
	anyPort := newHTTP(t, config)
	for _, row := range []struct{ url, name, anyPort string }{
		{"http://example.com/", "me", "me"}, {"http://example.com:8081/", "me", "me"}, {"http://example.com:8080/", "", "me"},
		{"http://www.example.com/", "", ""}, {"http://example.org/", "", ""},
		{"http://example.net/", "any", "any"}, {"http://example.net:8080/", "", ""},
	} {
		for h, want := range map[*HTTP]string{h: row.name, anyPort: row.anyPort} {
			if _, _, err := ask(t, h, &Request{URL: mustParse(t, row.url), Need: Content, Internal: true}); err != nil {
				t.Fatal(err)
			}
			if name, _, _ := rec.last().BasicAuth(); name != want {
				t.Errorf("%s got the account of %q, want %q", row.url, name, want)
			}
		}
	}
	// A machine whose host the user named with https only gets nothing over http.
	secure := newHTTP(t, HTTPConfig{Secrets: Secrets{Netrc: file, NetrcAnyPort: true, Origins: NewOrigins(mustParse(t, "https://example.com/"))}})
	for url, want := range map[string]bool{"https://example.com/": true, "https://example.com:8443/": true, "http://example.com/": false, "http://example.com:8080/": false} {
		if got := secure.accounts.forURL(mustParse(t, url)) != nil; got != want {
			t.Errorf("%s gets an account: %t", url, got)
		}
	}
	if _, err := NewHTTP(HTTPConfig{Secrets: Secrets{Netrc: file + "x"}}); err == nil {
		t.Error("a missing netrc file was read")
	}
}

func FuzzParseNetrc(f *testing.F) {
	f.Add("machine a login b password \"c\\\"\"\nmacdef x\n\n\ndefault login d")
	f.Add("\"")
	f.Fuzz(func(t *testing.T, text string) { parseNetrc(text) })
}
