package serve

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/serve/auth"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/serve/store"
)

// call is one request on its way to a handler.
type call struct {
	*http.Request
	server  *Server
	w       http.ResponseWriter
	prefix  string // of the addresses that the client sees: "" or "/links"
	route   *route
	who     *auth.Identity    // nil for public routes without credentials
	params  map[string]string // of the path
	project *store.Project    // of a path with {p}
	run     *store.Run        // of a path with {r}
	body    []byte            // JSON, checked to be well-formed; empty without a body
}

// route is one row of the table of routes. The server, the answers to wrong methods and roles,
// and the OpenAPI document come from the rows.
type route struct {
	Method string
	Path   string // segments in braces match any text; {p} and {r} are projects and runs
	Role   auth.Role
	Public bool   // needs no credentials
	Link   string // the purpose of read-only tokens that open it, "" for none
	Always bool   // allowed with --read-only
	Form   []string
	Handle func(*call) error

	// The rest is for the OpenAPI document. A row without Doc is a page.

	Doc     string
	Query   []parameter
	Body    string         // the schema of the body, "" for none
	Answers map[int]string // schemas or media types by status
}

// parameter is a parameter of the query.
type parameter struct{ Name, Doc string }

// policy is the Content-Security-Policy of every answer.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; frame-ancestors 'none'; base-uri 'self'; form-action 'self'"

// ServeHTTP answers a request. It is refused in this order: Host, cross-origin, credentials,
// role, route or id, method, content type, size, JSON, content, state.
func (s *Server) ServeHTTP(plain http.ResponseWriter, r *http.Request) {
	w := &countingWriter{ResponseWriter: plain}
	c := &call{Request: r, server: s, w: w}
	began := time.Now()
	defer func() {
		s.metrics.count(w)
		s.log.request(c, w, s.client(r), began)
	}()
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	if err := c.serve(); err != nil {
		c.fail(err)
	}
}

func (c *call) serve() error {
	s := c.server
	path := c.URL.EscapedPath()
	c.prefix = s.prefix(c.Request)
	if rest, found := strings.CutPrefix(path, c.prefix+"/"); found {
		path = "/" + rest
	}
	probe := path == "/healthz" || path == "/readyz"
	if !s.hosts.serves(c.Request) && !probe {
		return api.NewProblem(http.StatusMisdirectedRequest, "the host %q is not served here: --host or --public-url names it", plainHost(c.Host))
	}
	if c.prefix != "" && path == c.prefix {
		c.redirect("/", http.StatusPermanentRedirect)
		return nil
	}
	if s.origins.refuses(c.Request) {
		return api.NewProblem(http.StatusForbidden, "the request comes from a page of another site")
	}
	rows := s.match(path)
	i := slices.IndexFunc(rows, func(m match) bool { return m.route.Method == c.method() })
	if i >= 0 {
		c.route, c.params = rows[i].route, rows[i].params
	}
	if err := c.authenticate(path); err != nil || c.w.(*countingWriter).status != 0 {
		return err
	}
	if len(rows) == 0 {
		return api.NewProblem(http.StatusNotFound, "there is nothing at %s", path)
	}
	if c.params == nil {
		c.params = rows[0].params
	}
	if err := c.find(); err != nil {
		return err
	}
	if c.route == nil {
		c.w.Header().Set("Allow", allowed(rows))
		return api.NewProblem(http.StatusMethodNotAllowed, "%s is not allowed here: use %s", c.Method, allowed(rows))
	}
	if c.route.Form == nil {
		if err := c.readJSON(); err != nil {
			return err
		}
	}
	return c.route.Handle(c)
}

// method returns the method of the row that answers: HEAD is answered wherever GET is.
func (c *call) method() string {
	if c.Method == http.MethodHead {
		return http.MethodGet
	}
	return c.Method
}

// authenticate finds out who asks, and whether they may.
func (c *call) authenticate(path string) error {
	s := c.server
	var err error
	if c.who, err = s.identify(c.Request); err != nil {
		return err
	}
	open := c.route != nil && (c.route.Public || c.opens())
	if c.who == nil && !open {
		machine := strings.HasPrefix(path, "/api/") || path == "/metrics"
		if !machine && (c.Method == http.MethodGet || c.Method == http.MethodHead) {
			c.redirect("/login?next="+url.QueryEscape(c.prefix+path+queryOf(c.URL)), http.StatusSeeOther)
			return nil
		}
		if machine {
			c.w.Header().Set("WWW-Authenticate", "Bearer")
		}
		return api.NewProblem(http.StatusUnauthorized, "sign in, or send a valid token: Authorization: Bearer TOKEN")
	}
	if c.route != nil && !open && c.who.Role < c.route.Role {
		return api.NewProblem(http.StatusForbidden, "the role %s is required, and yours is %s", c.route.Role, c.who.Role)
	}
	if s.settings.ReadOnly && c.method() != http.MethodGet && (c.route == nil || !c.route.Always) {
		return api.NewProblem(http.StatusForbidden, "the server is read-only")
	}
	return nil
}

func queryOf(u *url.URL) string {
	if u.RawQuery == "" {
		return ""
	}
	return "?" + u.RawQuery
}

// opens reports whether a read-only token in the query opens the route.
func (c *call) opens() bool {
	token := c.URL.Query().Get("token")
	if c.route.Link == "" || token == "" {
		return false
	}
	project, ok := c.server.service.Links.Project(c.Context(), token, c.route.Link)
	return ok && project == c.params["p"]
}

// find loads the project and the run that the path names.
func (c *call) find() error {
	var err error
	if id, named := c.params["r"]; named {
		if c.run, err = c.server.store.Run(c.Context(), id); err == nil {
			c.params["p"] = c.run.Project
		}
	}
	if id, named := c.params["p"]; named && err == nil {
		c.project, err = c.server.store.Project(c.Context(), id)
	}
	if errors.Is(err, store.ErrNotFound) {
		what := "project " + c.params["p"]
		if c.run == nil && c.params["r"] != "" {
			what = "run " + c.params["r"]
		}
		return api.NewProblem(http.StatusNotFound, "there is no %s", what)
	}
	return err
}

// match is a row whose path matches.
type match struct {
	route  *route
	params map[string]string
}

// match returns the rows whose path matches.
func (s *Server) match(path string) []match {
	var rows []match
	for i := range s.routes {
		if params, ok := s.routes[i].matches(path); ok {
			rows = append(rows, match{&s.routes[i], params})
		}
	}
	return rows
}

// matches compares a path with that of the row, whose segments in braces match any text.
func (r *route) matches(path string) (map[string]string, bool) {
	pattern := r.Path
	if rest, found := strings.CutSuffix(pattern, "{rest...}"); found {
		if !strings.HasPrefix(path, rest) {
			return nil, false
		}
		return map[string]string{"rest": path[len(rest):]}, true
	}
	params := map[string]string{}
	for {
		want, wantRest, wantMore := strings.Cut(pattern, "/")
		got, gotRest, gotMore := strings.Cut(path, "/")
		if name, found := strings.CutPrefix(want, "{"); found {
			text, err := url.PathUnescape(got)
			if err != nil || text == "" {
				return nil, false
			}
			params[strings.TrimSuffix(name, "}")] = text
		} else if want != got {
			return nil, false
		}
		if wantMore != gotMore {
			return nil, false
		}
		if !wantMore {
			return params, true
		}
		pattern, path = wantRest, gotRest
	}
}

// allowed returns the value of Allow.
func allowed(rows []match) string {
	var methods []string
	for _, m := range rows {
		methods = append(methods, m.route.Method)
		if m.route.Method == http.MethodGet {
			methods = append(methods, http.MethodHead)
		}
	}
	slices.Sort(methods)
	return strings.Join(slices.Compact(methods), ", ")
}

// redirect sends the client to an address of the server.
func (c *call) redirect(path string, status int) {
	c.w.Header().Set("Location", c.prefix+path)
	c.w.WriteHeader(status)
}
