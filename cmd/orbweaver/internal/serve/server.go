package serve

import (
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/auth"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/notify"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/runs"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/secret"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/service"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/sso"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/store"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/web"
	"github.com/orbweaver/orbweaver/crawler/fetch"
)

// Settings are the flags of serve.
type Settings struct {
	Listen     string
	Data       string
	PublicURL  *url.URL // nil without one
	Hosts      []string
	TrustProxy []netip.Prefix
	MaxRuns    int
	Retain     runs.Retention
	ReadOnly   bool
	Mode       Mode
	Version    string
	Policy     fetch.AddressPolicy // of webhooks
	Mail       *notify.Mailer      // nil without --smtp
	SSO        *sso.Config         // nil without --oidc
	Proxy      ProxyUser
}

// Server answers requests. It is an http.Handler.
type Server struct {
	settings Settings
	store    *store.Store
	service  *service.Service
	auth     *auth.Store
	setup    *auth.Setup   // nil when there is no set-up page
	sso      *sso.Provider // nil without --oidc
	box      *secret.Box
	site     *web.Site // what pages need
	routes   []route
	mux      *http.ServeMux // of the routes
	hosts    hostList
	origins  originCheck
	log      *accessLog
	metrics  *metrics
	stopping chan struct{} // closed when the server stops
	stopOnce sync.Once
	started  time.Time
}

// Mode is how people and programs sign in.
type Mode string

// The modes of signing in.
const (
	Passwords Mode = "password" // accounts and tokens
	Tokens    Mode = "token"    // tokens alone
	Open      Mode = "none"     // everybody is an administrator
	// SingleSignOn is accounts of a provider, and tokens.
	SingleSignOn Mode = "oidc"
)

// Modes are the values of --auth.
var Modes = []string{string(Passwords), string(Tokens), string(SingleSignOn), string(Open)}

func newServer(s Settings, parts service.Config, log *accessLog, table []route) *Server {
	parts.Accounts = auth.New(parts.Store.DB())
	server := &Server{settings: s, store: parts.Store, service: service.New(parts), auth: parts.Accounts, log: log, routes: table, mux: newMux(table),
		hosts: newHostList(s.PublicURL, s.Hosts), origins: newOriginCheck(s.PublicURL), metrics: newMetrics(), stopping: make(chan struct{}), started: time.Now()}
	server.box = parts.Box
	if s.SSO != nil {
		server.sso = sso.New(*s.SSO)
	}
	server.site = newSite(server)
	return server
}

// prefixOf returns the path of a public URL without its final slash: "" or "/links".
func prefixOf(public *url.URL) string {
	if public == nil {
		return ""
	}
	return strings.TrimRight(public.EscapedPath(), "/")
}

// stop makes streams end and /readyz say so.
func (s *Server) stop() { s.stopOnce.Do(func() { close(s.stopping) }) }

func (s *Server) isStopping() bool {
	select {
	case <-s.stopping:
		return true
	default:
		return false
	}
}
