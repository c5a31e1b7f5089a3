package servetest

import (
	"crypto"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

const ssoSecret = "hush-sso-secret"

// provider is an OpenID Connect provider that can break one rule at a time.
type provider struct {
	*httptest.Server
	t   *testing.T
	key *rsa.PrivateKey
	mu  sync.Mutex
	// What it says of the person who signs in; tests change it.
	claims, userInfo object
	change           func(claims object)                   // of the ID token, nil for none
	sign             func(p *provider, text string) string // the token with its signature
	alg, kid         string
	down             bool
	redirects        string // where its description is, "" for here
	grants           map[string]url.Values
	keysAsked        int
}

func newProvider(t *testing.T) *provider {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	p := &provider{t: t, key: key, grants: map[string]url.Values{}}
	p.reset()
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	return p
}

// reset makes the provider keep all rules.
func (p *provider) reset() {
	p.claims, p.userInfo, p.change = object{"sub": "s-1", "preferred_username": "ann", "groups": []string{"docs", "x"}}, object{"sub": "s-1", "email": "ann@example.com", "email_verified": true}, nil
	p.sign, p.alg, p.kid = signRSA, "RS256", "k1"
}

func encode(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

func signRSA(p *provider, text string) string {
	sum := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, p.key, crypto.SHA256, sum[:])
	if err != nil {
		panic(err)
	}
	return text + "." + base64.RawURLEncoding.EncodeToString(signature)
}

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.down {
		http.Error(w, "<b>down</b>", http.StatusServiceUnavailable)
		return
	}
	answer := func(v any) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(v)
	}
	switch r.URL.Path {
	case "/.well-known/openid-configuration":
		if p.redirects != "" {
			http.Redirect(w, r, p.redirects, http.StatusFound)
			return
		}
		answer(object{"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token", "jwks_uri": p.URL + "/keys", "userinfo_endpoint": p.URL + "/userinfo",
			"id_token_signing_alg_values_supported": []string{"RS256", "HS256", "none"}, "response_types_supported": []string{"code"}, "subject_types_supported": []string{"public"}})
	case "/keys":
		p.keysAsked++
		answer(object{"keys": []object{{"kty": "RSA", "use": "sig", "alg": "RS256", "kid": p.kid, "n": base64.RawURLEncoding.EncodeToString(p.key.N.Bytes()), "e": base64.RawURLEncoding.EncodeToString(big.NewInt(int64(p.key.E)).Bytes())}}})
	case "/token":
		id, secret, basic := r.BasicAuth()
		grant := p.grants[r.PostFormValue("code")]
		sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
		if !basic || id != "links" || secret != ssoSecret || grant == nil || grant.Get("code_challenge") != base64.RawURLEncoding.EncodeToString(sum[:]) || grant.Get("redirect_uri") != r.PostFormValue("redirect_uri") {
			w.WriteHeader(http.StatusBadRequest)
			answer(object{"error": "invalid_grant", "error_description": "<b>evil</b>"})
			return
		}
		delete(p.grants, r.PostFormValue("code")) // a code is used once
		now := time.Now().Unix()
		claims := object{"iss": p.URL, "aud": "links", "iat": now, "exp": now + 300, "nonce": grant.Get("nonce")}
		for name, value := range p.claims {
			claims[name] = value
		}
		if p.change != nil {
			p.change(claims)
		}
		answer(object{"access_token": "at", "token_type": "Bearer", "id_token": p.sign(p, encode(object{"alg": p.alg, "kid": p.kid})+"."+encode(claims))})
	case "/userinfo":
		answer(p.userInfo)
	default:
		http.NotFound(w, r)
	}
}

// flow is a browser that signs in.
type flow struct {
	query  url.Values // that the provider got
	cookie *http.Cookie
}

// begin follows the link of the sign-in page.
func (s *server) begin(p *provider, next string) *flow {
	s.t.Helper()
	a := wants(s.t, "begin", s.send("GET", "login/sso?next="+url.QueryEscape(next), nil), 303)
	at, err := url.Parse(a.header.Get("Location"))
	cookies := (&http.Response{Header: a.header}).Cookies()
	if err != nil || !strings.HasPrefix(at.String(), p.URL+"/authorize?") || len(cookies) != 1 || !cookies[0].HttpOnly || cookies[0].MaxAge != 600 {
		s.t.Fatalf("%v leads to %v with %v", err, at, cookies)
	}
	return &flow{at.Query(), cookies[0]}
}

// grant returns the query with which the provider sends the browser back.
func (p *provider) grant(f *flow) url.Values {
	code := fmt.Sprint("code-", f.query.Get("state")[:8])
	p.mu.Lock()
	defer p.mu.Unlock()
	p.grants[code] = f.query
	return url.Values{"code": {code}, "state": {f.query.Get("state")}}
}

// finish comes back from the provider.
func (s *server) finish(f *flow, back url.Values) *answer {
	s.t.Helper()
	return s.send("GET", "login/callback?"+back.Encode(), nil, withCookie(f.cookie))
}

func withSSO(t *testing.T, p *provider, more ...string) []string {
	return append([]string{"--oidc", p.URL, "--oidc-client", "links", "--oidc-secret-file", passwordFile(t, ssoSecret+"\n"), "--oidc-role", "editor=groups:docs", "--oidc-role", "admin=realm.roles:boss",
		"--oidc-role", "viewer=email:ann@example.com"}, more...)
}

func TestSingleSignOn(t *testing.T) {
	p, data := newProvider(t), t.TempDir()
	manage(t, data, 0, "user", "add", "boss", "--role", "admin", "--password-file", passwordFile(t, "correct horse"))
	s := start(t, data, withSSO(t, p, "--oidc-label", "Corp <&>")...)
	if a := s.send("GET", "login?next=/runs/x", nil); !strings.Contains(string(a.body), `href="login/sso?next=%2fruns%2fx">Sign in with Corp &lt;&amp;&gt;`) || !strings.Contains(string(a.body), `name="password"`) {
		t.Errorf("the page to sign in: %s", a.body)
	}
	f := s.begin(p, "/runs/x?y=1")
	if q := f.query; q.Get("response_type") != "code" || q.Get("client_id") != "links" || q.Get("code_challenge_method") != "S256" || q.Get("redirect_uri") != s.base+"login/callback" || q.Get("scope") != "openid profile email" ||
		len(q.Get("state")) < 32 || len(q.Get("nonce")) < 32 {
		t.Errorf("the provider gets %v", q)
	}
	back := p.grant(f)
	a := wants(t, "sign-in", s.finish(f, back), 303)
	ann := withCookie(cookieOf(t, a))
	if a.header.Get("Location") != "/runs/x?y=1" {
		t.Errorf("it leads to %s", a.header.Get("Location"))
	}
	if me := s.as(ann, "GET", "me", nil, 200); me["name"] != "ann" || me["role"] != "editor" || me["via"] != "oidc" || me["email"] != "ann@example.com" {
		t.Errorf("me is %v", me)
	}
	s.as(ann, "PUT", "me/password", object{"current": "x", "new": "correct horse"}, 409)
	wants(t, "the state again", s.finish(f, back), 400)
	other := s.begin(p, "//evil.example/")
	wants(t, "the state of another browser", s.send("GET", "login/callback?"+p.grant(other).Encode(), nil), 400)
	if a := wants(t, "next elsewhere", s.finish(other, p.grant(other)), 303); a.header.Get("Location") != "/" {
		t.Errorf("it leads to %s", a.header.Get("Location"))
	}

	// The role follows the claims, and the person is issuer and subject.
	signIn := func() *answer { f := s.begin(p, "/"); return s.finish(f, p.grant(f)) }
	p.claims["realm"], p.claims["preferred_username"] = object{"roles": []string{"boss"}}, "renamed"
	again := withCookie(cookieOf(t, wants(t, "another role", signIn(), 303)))
	if me := s.as(ann, "GET", "me", nil, 200); me["name"] != "ann" || me["role"] != "admin" {
		t.Errorf("me is %v", me)
	}
	s.as(again, "PATCH", "users/ann", object{"role": "viewer"}, 409)
	p.claims["realm"], p.claims["groups"] = nil, "docs"
	wants(t, "a claim that is a text", signIn(), 303)
	if me := s.as(ann, "GET", "me", nil, 200); me["role"] != "editor" {
		t.Errorf("me is %v", me)
	}
	p.claims["groups"] = nil
	wants(t, "a claim of userinfo", signIn(), 303)
	p.userInfo["email_verified"], p.userInfo["email"] = false, "else@example.com"
	if a := wants(t, "no role", signIn(), 403); !strings.Contains(string(a.body), "has no role") || a.header.Get("Set-Cookie") != "" {
		t.Errorf("without a role: %s %s", a.header, a.body)
	}
	p.reset()
	p.claims["sub"], p.userInfo["sub"], p.claims["preferred_username"] = "s-2", "s-2", "an<n>"
	if a := wants(t, "the name of another account", signIn(), 403); !strings.Contains(string(a.body), "Another account has the name ann") || a.header.Get("Set-Cookie") != "" {
		t.Errorf("a taken name: %s %s", a.header, a.body)
	}
	p.claims["preferred_username"] = "boss"
	wants(t, "the name of an account with a password", signIn(), 403)
	p.kid = "k2" // the provider has new keys
	p.claims["preferred_username"] = "ben"
	wants(t, "a new key", signIn(), 303)
	if p.keysAsked < 2 {
		t.Errorf("the keys were fetched %d times", p.keysAsked)
	}
	wants(t, "the empty password", s.post("login", url.Values{"name": {"ann"}, "password": {""}}), 401)
	s.kill()
	if found := append(leaks(t, data, []string{ssoSecret}), strings.Fields(strings.ReplaceAll(fmt.Sprint(strings.Contains(s.log.String(), ssoSecret)), "false", ""))...); len(found) > 0 {
		t.Errorf("the secret is in %v", found)
	}
}

// TestSingleSignOnFaults breaks one rule at a time.
func TestSingleSignOnFaults(t *testing.T) {
	p, data := newProvider(t), t.TempDir()
	s := start(t, data, withSSO(t, p, "--auth", "oidc")...)
	if a := s.send("GET", "login", nil); strings.Contains(string(a.body), `name="password"`) || !strings.Contains(string(a.body), "Sign in with 127.0.0.1") {
		t.Errorf("the page to sign in: %s", a.body)
	}
	wants(t, "a password", s.post("login", url.Values{"name": {"ann"}, "password": {"correct horse"}}), 403)
	other, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	set := func(name string, value any) func() {
		return func() { p.change = func(claims object) { claims[name] = value } }
	}
	now := time.Now().Unix()
	for what, fault := range map[string]func(){
		"no signature": func() { p.alg, p.sign = "none", func(_ *provider, text string) string { return text + "." } },
		"HMAC with the public key": func() {
			p.alg, p.sign = "HS256", func(p *provider, text string) string {
				der, _ := x509.MarshalPKIXPublicKey(&p.key.PublicKey)
				mac := hmac.New(sha256.New, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
				mac.Write([]byte(text))
				return text + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
			}
		},
		"HMAC with the secret": func() {
			p.alg, p.sign = "HS256", func(_ *provider, text string) string {
				mac := hmac.New(sha256.New, []byte(ssoSecret))
				mac.Write([]byte(text))
				return text + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
			}
		},
		"another key":         func() { p.sign = func(_ *provider, text string) string { return signRSA(&provider{key: other}, text) } },
		"a foreign audience":  set("aud", "else"),
		"another audience":    set("aud", []string{"links", "else"}),
		"another party":       set("azp", "else"),
		"another nonce":       set("nonce", "x"),
		"no nonce":            set("nonce", nil),
		"another issuer":      set("iss", "https://evil.example"),
		"an expired token":    set("exp", now-90),
		"no end":              set("exp", nil),
		"issued in future":    set("iat", now+90),
		"not valid yet":       set("nbf", now+90),
		"no subject":          set("sub", ""),
		"somebody else":       func() { p.userInfo["sub"] = "s-2" },
		"no token at all":     func() { p.sign = func(*provider, string) string { return "" } },
		"a subject of number": set("sub", 7),
	} {
		p.reset()
		fault()
		f := s.begin(p, "/")
		a := wants(t, what, s.finish(f, p.grant(f)), 403)
		if a.header.Get("Set-Cookie") != "" || strings.Contains(string(a.body), "evil") || !strings.Contains(string(a.body), `role="alert"`) {
			t.Errorf("%s: %s %s", what, a.header, a.body)
		}
	}
	p.reset()
	f := s.begin(p, "/")
	back := p.grant(f)
	delete(p.grants, back.Get("code"))
	if a := wants(t, "a used code", s.finish(f, back), 403); strings.Contains(string(a.body), "evil") {
		t.Errorf("a used code: %s", a.body)
	}
	for what, row := range map[string]struct {
		change func(url.Values)
		status int
	}{
		"another state":  {func(q url.Values) { q.Set("state", q.Get("state")[:20]+"x") }, 400},
		"no state":       {func(q url.Values) { q.Del("state") }, 400},
		"two states":     {func(q url.Values) { q.Add("state", "x") }, 400},
		"another issuer": {func(q url.Values) { q.Set("iss", "https://evil.example") }, 400},
		"an error":       {func(q url.Values) { q.Set("error", "<script>evil</script>") }, 403},
		"no code":        {func(q url.Values) { q.Del("code") }, 403},
	} {
		f := s.begin(p, "/")
		back := p.grant(f)
		row.change(back)
		if a := wants(t, what, s.finish(f, back), row.status); a.header.Get("Set-Cookie") != "" || strings.Contains(string(a.body), "evil") {
			t.Errorf("%s: %s %s", what, a.header, a.body)
		}
	}
	f = s.begin(p, "/")
	back = p.grant(f)
	back.Set("iss", p.URL)
	wants(t, "the issuer in the callback", s.finish(f, back), 303)
	for what, change := range map[string]func(object){"a clock that is 30 s fast": func(c object) { c["iat"], c["nbf"] = now+30, now+30 }, "a clock that is 30 s slow": func(c object) { c["exp"] = time.Now().Unix() - 30 }} {
		p.reset()
		p.change = change
		f := s.begin(p, "/")
		wants(t, what, s.finish(f, p.grant(f)), 303)
	}
}

// TestSingleSignOnAway starts while the provider is away, or where its description leads elsewhere.
func TestSingleSignOnAway(t *testing.T) {
	p, data := newProvider(t), t.TempDir()
	manage(t, data, 0, "user", "add", "boss", "--role", "admin", "--password-file", passwordFile(t, "correct horse"))
	p.down = true
	s := start(t, data, withSSO(t, p)...)
	if a := wants(t, "away", s.send("GET", "login/sso", nil), 502); !strings.Contains(string(a.body), "does not answer") || strings.Contains(string(a.body), "down") {
		t.Errorf("away: %s", a.body)
	}
	s.signIn("boss", "correct horse")
	elsewhere := newProvider(t)
	p.mu.Lock()
	p.down, p.redirects = false, elsewhere.URL+"/.well-known/openid-configuration"
	p.mu.Unlock()
	wants(t, "a redirect to another host", s.send("GET", "login/sso", nil), 502)
	p.mu.Lock()
	p.redirects = ""
	p.mu.Unlock()
	f := s.begin(p, "/")
	wants(t, "sign-in", s.finish(f, p.grant(f)), 303)
}

// TestSingleSignOnUsage refuses flags that do not belong together.
func TestSingleSignOnUsage(t *testing.T) {
	file, data := passwordFile(t, "x"), t.TempDir()
	whole := []string{"--oidc", "https://login.example/", "--oidc-client", "a", "--oidc-secret-file", file}
	for want, args := range map[string][]string{
		"--oidc-client":           {"--oidc-client", "a"},
		"--oidc-secret-file FILE": {"--oidc", "https://login.example/", "--oidc-client", "a"},
		"must be https":           {"--oidc", "http://login.example/", "--oidc-client", "a", "--oidc-secret-file", file},
		"--oidc-role":             append([]string{"--oidc-role", "boss=*"}, whole...),
		"ROLE=CLAIM:VALUE":        append([]string{"--oidc-role", "admin=groups"}, whole...),
		"openid":                  append([]string{"--oidc-scope", "profile"}, whole...),
		"read":                    {"--oidc", "https://login.example/", "--oidc-client", "a", "--oidc-secret-file", file + ".none"},
		"--auth oidc":             {"--auth", "oidc"},
		"--proxy-from":            {"--proxy-user", "X-User"},
		"--proxy-user":            {"--proxy-from", "127.0.0.1"},
		"name of a header":        {"--proxy-user", "X User", "--proxy-from", "127.0.0.1"},
	} {
		_, stderr, status := orbweaver(t, append([]string{"serve", "--data", data, "--listen", "127.0.0.1:0"}, args...)...)
		if status != 2 || !strings.Contains(stderr, want) {
			t.Errorf("%v: status %d, %s", args, status, stderr)
		}
	}
}

// TestProxyUser lets a proxy sign people in.
func TestProxyUser(t *testing.T) {
	data := t.TempDir()
	manage(t, data, 0, "user", "add", "boss", "--role", "admin", "--password-file", passwordFile(t, "correct horse"))
	s := start(t, data, "--proxy-user", "X-User", "--proxy-role", "X-Role", "--proxy-from", "127.0.0.1")
	as := func(fields ...string) func(*http.Request) {
		return func(r *http.Request) {
			for i := 0; i+1 < len(fields); i += 2 {
				r.Header.Add(fields[i], fields[i+1])
			}
		}
	}
	for _, row := range []struct {
		fields []string
		role   string
	}{{[]string{"X-User", "ann"}, "viewer"}, {[]string{"X-User", "ann", "X-Role", "editor"}, "editor"}, {[]string{"X-User", "ann", "X-Role", "king"}, "viewer"}, {[]string{"X-User", "eve", "X-Role", "admin"}, "admin"}} {
		if me := s.as(as(row.fields...), "GET", "me", nil, 200); me["role"] != row.role || me["via"] != "proxy" || me["name"] != row.fields[1] {
			t.Errorf("%v: %v", row.fields, me)
		}
	}
	for _, fields := range [][]string{{"X-User", "ann", "X-User", "eve"}, {"X-User", "a b"}, {"X-User", ""}} {
		s.as(as(fields...), "GET", "me", nil, 400)
	}
	s.as(as("X-User", "boss"), "GET", "me", nil, 403)
	s.as(as(), "GET", "me", nil, 401)
	wants(t, "a page of another site", s.send("POST", "projects", "name=x", as("X-User", "eve", "X-Role", "admin", "Sec-Fetch-Site", "cross-site")), 403)
	s.kill()
	s = start(t, data, "--proxy-user", "X-User", "--proxy-from", "10.0.0.0/8", "--trust-proxy", "127.0.0.1")
	s.as(as("X-User", "ann", "X-Forwarded-For", "10.0.0.1"), "GET", "me", nil, 401)
}
