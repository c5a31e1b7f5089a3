package serve

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/audit"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/auth"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/store"
)

// call is one request on its way to a handler.
type call struct {
	*http.Request
	server  *Server
	w       http.ResponseWriter
	prefix  string         // of the addresses that the client sees: "" or "/links"
	path    string         // escaped, without the prefix
	route   *route         // nil if no row has the path and the method
	near    *route         // a row with the path, whatever its method; nil if there is none
	allowed []string       // the methods of the path, if the method is not one of them
	who     *auth.Identity // nil for public routes without credentials
	project *store.Project // of a path with {p}
	run     *store.Run     // of a path with {r}
	media   string         // the media type of the body
	body    []byte         // empty without a body; JSON of up to maxBody is well-formed
}

// route is one row of the table of routes. The patterns of the mux, the roles, the exceptions
// from authentication, and the OpenAPI document come from the rows.
type route struct {
	Method string
	Path   string // as in a pattern of http.ServeMux; {p} and {r} are projects and runs
	Role   auth.Role
	Public bool     // needs no credentials
	Link   string   // the purpose of read-only tokens that open it, "" for none
	Always bool     // allowed with --read-only
	Form   bool     // a page, whose handler reads the body
	Media  []string // the media types of the body; nil: JSON alone
	Most   int      // the maximum size of the body in bytes; 0: maxBody
	Handle func(*call) error

	// The rest is for the OpenAPI document. A row without Doc is a page.

	Doc   string
	Query []parameter
	Body  string // the schema of a body that is no text, "" for none
	// Optional says that the body may be left out.
	Optional bool
	Answers  map[int]string // schemas or media types by status, with spaces between several
}

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
		s.log.request(r, c.who, w, s.addressOf(r), began)
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
	c.path = c.URL.EscapedPath()
	c.prefix = s.prefix(c.Request)
	if rest, found := strings.CutPrefix(c.path, c.prefix+"/"); found {
		c.path = "/" + rest
	}
	probe := c.path == "/healthz" || c.path == "/readyz"
	if !s.hosts.serves(c.Request) && !probe {
		return api.NewProblem(http.StatusMisdirectedRequest, "the host %q is not served here: --host or --public-url names it", plainHost(c.Host))
	}
	if c.prefix != "" && c.path == c.prefix {
		c.redirect("/", http.StatusPermanentRedirect)
		return nil
	}
	if s.origins.refuses(c.Request) {
		return api.NewProblem(http.StatusForbidden, "the request comes from a page of another site")
	}
	c.match()
	if err := c.authenticate(); err != nil || c.w.(*countingWriter).status != 0 {
		return err
	}
	if c.route == nil && c.allowed == nil {
		return api.NewProblem(http.StatusNotFound, "there is nothing at %s", c.path)
	}
	if err := c.find(); err != nil {
		return err
	}
	if c.route == nil {
		allowed := strings.Join(c.allowed, ", ")
		c.w.Header().Set("Allow", allowed)
		return api.NewProblem(http.StatusMethodNotAllowed, "%s is not allowed here: use %s", c.Method, allowed)
	}
	if !c.route.Form {
		if err := c.readBody(); err != nil {
			return err
		}
	}
	return c.route.Handle(c)
}

// authenticate finds out who asks, and whether they may.
func (c *call) authenticate() error {
	s := c.server
	var err error
	if c.who, err = s.identify(c.Request); err != nil {
		return err
	}
	open := c.route != nil && (c.route.Public || c.opens())
	if c.who == nil && !open {
		machine := c.isMachine()
		if !machine && (c.Method == http.MethodGet || c.Method == http.MethodHead) {
			c.redirect("/login?next="+url.QueryEscape(c.prefix+c.path+queryOf(c.URL)), http.StatusSeeOther)
			return nil
		}
		if machine {
			c.w.Header().Set("WWW-Authenticate", "Bearer")
		}
		return api.NewProblem(http.StatusUnauthorized, "sign in, or send a valid token: Authorization: Bearer TOKEN")
	}
	if err := c.load(open); err != nil {
		return err
	}
	if c.who != nil {
		c.Request = c.WithContext(audit.With(c.Context(), s.actor(c.Request, c.who)))
	}
	if c.route != nil && !open && c.who.Project != "" && c.route.Role > auth.Viewer && c.PathValue("p")+c.PathValue("r") == "" {
		return api.NewProblem(http.StatusForbidden, "the token reaches one project alone")
	}
	if c.route != nil && !open && c.who.Role < c.route.Role {
		return api.NewProblem(http.StatusForbidden, "the role %s is required, and yours is %s", c.route.Role, c.who.Role)
	}
	if s.settings.ReadOnly && c.Method != http.MethodGet && c.Method != http.MethodHead && (c.route == nil || !c.route.Always) {
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
	return ok && project == c.PathValue("p")
}

// isMachine reports whether a path is for programs.
func (c *call) isMachine() bool {
	return strings.HasPrefix(c.path, "/api/") || c.path == "/metrics"
}

// load loads the project and the run that the path names, unless they do not exist for who asks, and
// gives that person the role in the project.
func (c *call) load(open bool) error {
	var err error
	project := c.PathValue("p")
	if id := c.PathValue("r"); id != "" {
		if c.run, err = c.server.store.Run(c.Context(), id); err == nil {
			project = c.run.Project
		}
	}
	if project != "" && err == nil {
		c.project, err = c.server.store.Project(c.Context(), project)
	}
	if err != nil && !errors.Is(err, store.ErrNotFound) || open {
		return err
	}
	if c.project == nil {
		return nil
	}
	here := *c.who
	if here.Role, err = c.server.service.Projects.RoleIn(c.project, c.who); err != nil {
		return err
	}
	if here.Role == 0 {
		c.project, c.run = nil, nil
		return nil
	}
	c.who = &here
	return nil
}

// find refuses a path that names what does not exist.
func (c *call) find() error {
	switch run, project := c.PathValue("r"), c.PathValue("p"); {
	case run != "" && c.run == nil:
		return api.NewProblem(http.StatusNotFound, "there is no run %s", run)
	case project != "" && c.project == nil:
		return api.NewProblem(http.StatusNotFound, "there is no project %s", project)
	case c.near == nil:
		return nil
	}
	for end, exists := range otherIDs {
		if strings.HasSuffix(c.near.Path, end) {
			return exists(c)
		}
	}
	return nil
}

// otherIDs find what the last id of a path names, by how the path ends. An unknown id is refused
// before anything else is wrong with the request.
var otherIDs = map[string]func(*call) error{
	"/users/{name}":  func(c *call) error { return c.server.service.Accounts.HasUser(c.Context(), c.PathValue("name")) },
	"/tokens/{name}": func(c *call) error { return c.server.service.Accounts.HasToken(c.Context(), c.PathValue("name")) },
	"/marks/{fingerprint}": func(c *call) error {
		return c.server.service.Marks.Seen(c.Context(), c.project.ID, c.PathValue("fingerprint"))
	},
	"/status-pages/{id}": func(c *call) error {
		_, err := c.server.service.Pages.Get(c.Context(), c.PathValue("id"))
		return err
	},
	"/links/{id}": func(c *call) error {
		return c.server.service.Links.Exists(c.Context(), c.project.ID, c.PathValue("id"))
	},
	"/notify/{n}/test":          func(c *call) error { return c.server.service.Notices.Exists(c.project, c.PathValue("n")) },
	"/projects/{p}/issues/{id}": func(c *call) error { return c.server.service.Marks.Seen(c.Context(), c.project.ID, c.PathValue("id")) },
	"/issues/{id}/comments":     func(c *call) error { return c.server.service.Marks.Seen(c.Context(), c.project.ID, c.PathValue("id")) },
	"/findings/{id}": func(c *call) error {
		return c.server.service.Findings.Exists(c.Context(), c.run, c.PathValue("id"))
	},
	"/compare": func(c *call) error { return findOther(c, c.URL.Query().Get("with")) },
}

// findOther refuses the id of a run that does not exist for who asks, so that a run of a project that they
// must not see is like one that nobody ever started. "" names none.
func findOther(c *call, id string) error {
	if id == "" {
		return nil
	}
	var row *store.Project
	r, err := c.server.store.Run(c.Context(), id)
	if err == nil {
		row, err = c.server.store.Project(c.Context(), r.Project)
	}
	var role auth.Role
	if err == nil {
		role, err = c.server.service.Projects.RoleIn(row, c.who)
	}
	if errors.Is(err, store.ErrNotFound) || err == nil && role == 0 {
		return api.NewProblem(http.StatusNotFound, "there is no run %s", id)
	}
	return err
}

// redirect sends the client to an address of the server.
func (c *call) redirect(path string, status int) {
	c.w.Header().Set("Location", c.prefix+path)
	c.w.WriteHeader(status)
}
