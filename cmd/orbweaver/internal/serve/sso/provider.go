package sso

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/auth"
)

// Limits of the conversation with a provider.
const (
	AttemptLife  = 10 * time.Minute // from the sign-in page to the callback
	tolerance    = time.Minute      // between the clocks
	maxAnswer    = 1 << 20          // bytes of an answer
	maxRedirects = 3
	patience     = 10 * time.Second // for an answer
)

// algorithms are the signatures that are accepted: those of a private key that only the provider has.
var algorithms = []string{oidc.RS256, oidc.RS384, oidc.RS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.PS256, oidc.PS384, oidc.PS512, oidc.EdDSA}

// ErrUnavailable is the error when the provider does not answer.
var ErrUnavailable = errors.New("the provider does not answer")

// Refusal is why somebody cannot sign in, as one sentence for that person. Cause is for the log.
type Refusal struct {
	Status  int
	Message string
	Cause   error
}

func (r *Refusal) Error() string { return fmt.Sprintf("%s (%v)", r.Message, r.Cause) }

// Unwrap returns the cause.
func (r *Refusal) Unwrap() error { return r.Cause }

func refuse(status int, message, format string, args ...any) *Refusal {
	return &Refusal{status, message, fmt.Errorf(format, args...)}
}

// Provider signs people in at an OpenID Connect provider.
type Provider struct {
	config Config
	client *http.Client

	mu    sync.Mutex
	known *known               // nil until the provider has described itself
	used  map[string]time.Time // states of attempts that are over, until they expire
}

// known is what a provider says of itself.
type known struct {
	*oidc.Provider
	sendsIssuer bool // in each callback, RFC 9207
}

// New returns a provider, which is not asked yet.
func New(c Config) *Provider {
	p := &Provider{config: c, used: map[string]time.Time{}}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	p.client = &http.Client{Timeout: patience, Transport: limited{transport}, CheckRedirect: func(r *http.Request, via []*http.Request) error {
		if r.URL.Host != via[0].URL.Host || r.URL.Scheme != via[0].URL.Scheme || len(via) > maxRedirects {
			return errors.New("the provider redirects to another host")
		}
		return nil
	}}
	return p
}

// Label returns the name of the provider for people.
func (p *Provider) Label() string {
	if p.config.Label != "" {
		return p.config.Label
	}
	return p.config.Issuer.Host
}

// limited ends answers that are too long.
type limited struct{ http.RoundTripper }

func (l limited) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := l.RoundTripper.RoundTrip(r)
	if err == nil {
		resp.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(resp.Body, maxAnswer), resp.Body}
	}
	return resp, err
}

// discover asks the provider to describe itself, until it has done so once.
func (p *Provider) discover(ctx context.Context) (*known, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known != nil {
		return p.known, nil
	}
	found, err := oidc.NewProvider(oidc.ClientContext(context.WithoutCancel(ctx), p.client), p.config.Issuer.String())
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	var more struct {
		SendsIssuer bool `json:"authorization_response_iss_parameter_supported"`
	}
	if err := found.Claims(&more); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	p.known = &known{found, more.SendsIssuer}
	return p.known, nil
}

func (p *Provider) flow(k *known, redirect string) *oauth2.Config {
	endpoint := k.Endpoint()
	endpoint.AuthStyle = oauth2.AuthStyleInHeader
	return &oauth2.Config{ClientID: p.config.Client, ClientSecret: p.config.Secret, Endpoint: endpoint, RedirectURL: redirect, Scopes: p.config.Scopes}
}

// Attempt is what must be known when somebody comes back from the provider.
type Attempt struct {
	State, Nonce, Verifier string
	Next                   string // where the person wanted to go
	Ends                   time.Time
}

// Begin returns an attempt to sign in, and the address of the provider to which it sends a browser.
func (p *Provider) Begin(ctx context.Context, redirect, next string) (*Attempt, string, error) {
	k, err := p.discover(ctx)
	if err != nil {
		return nil, "", err
	}
	a := &Attempt{State: auth.NewSecret(), Nonce: auth.NewSecret(), Verifier: oauth2.GenerateVerifier(), Next: next, Ends: time.Now().Add(AttemptLife)}
	return a, p.flow(k, redirect).AuthCodeURL(a.State, oidc.Nonce(a.Nonce), oauth2.S256ChallengeOption(a.Verifier)), nil
}

// use marks an attempt as over. It reports whether it was not.
func (p *Provider) use(a *Attempt) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	maps.DeleteFunc(p.used, func(_ string, ends time.Time) bool { return ends.Before(now) })
	_, used := p.used[a.State]
	p.used[a.State] = a.Ends
	return !used
}

const (
	tryAgain   = "The sign-in did not work. Try again."
	notTrusted = "The answer of the provider cannot be trusted, so nobody was signed in."
)

// Finish returns who came back from the provider with a query, in the browser of an attempt, which is
// nil if the browser has none. The error is a *Refusal or wraps ErrUnavailable.
func (p *Provider) Finish(ctx context.Context, redirect string, a *Attempt, q url.Values) (*auth.Person, error) {
	if a == nil || q.Get("state") == "" || q.Get("state") != a.State || len(q["state"]) != 1 {
		return nil, refuse(http.StatusBadRequest, tryAgain, "the state is missing or another")
	}
	if time.Now().After(a.Ends) || !p.use(a) {
		return nil, refuse(http.StatusBadRequest, tryAgain, "the state has expired or was used")
	}
	k, err := p.discover(ctx)
	if err != nil {
		return nil, err
	}
	if issuer := q["iss"]; len(issuer) > 1 || len(issuer) == 1 && issuer[0] != p.config.Issuer.String() || len(issuer) == 0 && k.sendsIssuer {
		return nil, refuse(http.StatusBadRequest, notTrusted, "the callback is of the issuer %q", issuer)
	}
	if q.Has("error") {
		return nil, refuse(http.StatusForbidden, "The provider did not sign you in.", "the provider says %q", clip(q.Get("error")))
	}
	ctx = oidc.ClientContext(ctx, p.client)
	token, err := p.flow(k, redirect).Exchange(ctx, q.Get("code"), oauth2.VerifierOption(a.Verifier))
	if err != nil {
		return nil, refuse(http.StatusForbidden, tryAgain, "exchange the code: %w", withoutBody(err))
	}
	raw, _ := token.Extra("id_token").(string)
	id, err := k.VerifierContext(ctx, &oidc.Config{ClientID: p.config.Client, SupportedSigningAlgs: algorithms, SkipExpiryCheck: true}).Verify(ctx, raw)
	if err != nil {
		return nil, refuse(http.StatusForbidden, notTrusted, "the ID token: %w", err)
	}
	claims := map[string]any{}
	if err := id.Claims(&claims); err != nil {
		return nil, refuse(http.StatusForbidden, notTrusted, "the ID token: %w", err)
	}
	if err := p.check(id, claims, a); err != nil {
		return nil, refuse(http.StatusForbidden, notTrusted, "the ID token: %w", err)
	}
	if err := addUserInfo(ctx, k, token, id.Subject, claims); err != nil {
		return nil, refuse(http.StatusForbidden, notTrusted, "userinfo: %w", err)
	}
	person, ok := p.config.person(id.Subject, claims)
	if !ok {
		return nil, refuse(http.StatusForbidden, "The account "+person.Name+" has no role here. Ask an administrator.", "no --oidc-role matches %q", id.Subject)
	}
	return &person, nil
}

// check checks what the library leaves to its callers (OpenID Connect Core 1.0, section 3.1.3.7).
func (p *Provider) check(id *oidc.IDToken, claims map[string]any, a *Attempt) error {
	now := time.Now()
	party, named := claims["azp"]
	notBefore, hasNotBefore := claims["nbf"].(float64)
	switch {
	case !slices.Equal(id.Audience, []string{p.config.Client}):
		return fmt.Errorf("it is for %q, too", id.Audience)
	case named && party != any(p.config.Client):
		return errors.New("it was made for another party")
	case id.Nonce != a.Nonce:
		return errors.New("the nonce is another")
	case id.Subject == "":
		return errors.New("it has no subject")
	case !now.Before(id.Expiry.Add(tolerance)):
		return fmt.Errorf("it expired at %s", id.Expiry)
	case id.IssuedAt.IsZero() || id.IssuedAt.After(now.Add(tolerance)):
		return errors.New("it is issued in the future, or never")
	case hasNotBefore && time.Unix(int64(notBefore), 0).After(now.Add(tolerance)):
		return errors.New("it is not valid yet")
	}
	return nil
}

// addUserInfo adds the claims of the provider's userinfo that the ID token does not have.
func addUserInfo(ctx context.Context, k *known, token *oauth2.Token, subject string, claims map[string]any) error {
	if k.UserInfoEndpoint() == "" {
		return nil
	}
	info, err := k.UserInfo(ctx, oauth2.StaticTokenSource(token))
	if err != nil {
		return withoutBody(err)
	}
	if info.Subject != subject {
		return errors.New("it is of somebody else")
	}
	more := map[string]any{}
	if err := info.Claims(&more); err != nil {
		return err
	}
	for name, value := range more {
		if _, there := claims[name]; !there {
			claims[name] = value
		}
	}
	return nil
}

// withoutBody returns an error without most of the answer that it quotes.
func withoutBody(err error) error {
	if wrong, ok := errors.AsType[*oauth2.RetrieveError](err); ok && wrong.Response != nil {
		return fmt.Errorf("status %d, error %q", wrong.Response.StatusCode, clip(wrong.ErrorCode))
	}
	return errors.New(clip(err.Error()))
}

// clip shortens a text of the provider for the log.
func clip(text string) string {
	const most = 200
	return text[:min(len(text), most)]
}
