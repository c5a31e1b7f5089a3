package web

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/auth"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/service"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/store"
	"github.com/orbweaver/orbweaver/report"
)

// maxForm is the maximum size of a form, in bytes.
const maxForm = 1 << 20

// Site is what all pages share.
type Site struct {
	Service  *service.Service
	Store    *store.Store
	Version  string
	ReadOnly bool
	// CheckView returns what is wrong with the query of a view.
	CheckView func(url.Values) error
	// Passwords reports whether people have accounts; Open whether nobody needs to sign in.
	Passwords, Open bool

	mu       sync.Mutex
	flashes  map[string]string      // what a page shows once, by name of the user and place
	rechecks map[string]api.Recheck // by run and URL
}

// maxKept limits what a Site remembers for later pages.
const maxKept = 1000

// flash keeps a text that the next page at a place shows to a user once.
func (s *Site) flash(who *auth.Identity, place, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.flashes == nil || len(s.flashes) >= maxKept {
		s.flashes = map[string]string{}
	}
	s.flashes[who.Name+"\n"+place] = text
}

// flashed returns a text and forgets it.
func (s *Site) flashed(who *auth.Identity, place string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := who.Name + "\n" + place
	text := s.flashes[key]
	delete(s.flashes, key)
	return text
}

// keepRecheck remembers the result of a recheck.
func (s *Site) keepRecheck(run, url string, r api.Recheck) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rechecks == nil || len(s.rechecks) >= maxKept {
		s.rechecks = map[string]api.Recheck{}
	}
	s.rechecks[run+"\n"+url] = r
}

func (s *Site) recheckOf(run, url string) *api.Recheck {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.rechecks[run+"\n"+url]
	if !ok {
		return nil
	}
	return &r
}

// Call is one request for a page.
type Call struct {
	*http.Request
	W       http.ResponseWriter
	Site    *Site
	Prefix  string // of the addresses that the client sees: "" or "/links"
	Origin  string // of the addresses that the client sees: "https://host"
	Path    string // without the prefix
	Who     *auth.Identity
	Params  map[string]string
	Project *store.Project // of a path with {p} or {r}
	Run     *store.Run     // of a path with {r}
	Session string         // the secret of the session, "" without one
	Client  auth.Client

	fields url.Values // of the form that was sent, once ReadForm has read it
}

// ReadForm reads the form that was sent, before a handler is called that needs it.
func (c *Call) ReadForm() error {
	media, _, err := mime.ParseMediaType(c.Header.Get("Content-Type"))
	if media == "multipart/form-data" {
		c.fields, err = multipartForm(c.Request)
		return err
	}
	if err != nil || media != "application/x-www-form-urlencoded" {
		if c.ContentLength == 0 {
			c.fields = url.Values{}
			return nil
		}
		return api.NewProblem(http.StatusUnsupportedMediaType, "the body must be a form: application/x-www-form-urlencoded")
	}
	text, err := io.ReadAll(io.LimitReader(c.Body, maxForm+1))
	if len(text) > maxForm {
		return api.NewProblem(http.StatusRequestEntityTooLarge, "the body is larger than 1 MiB")
	}
	if err == nil {
		c.fields, err = url.ParseQuery(string(text))
	}
	if err != nil {
		return api.NewProblem(http.StatusBadRequest, "the form could not be read")
	}
	return nil
}

// multipartForm returns the fields of a form that may have files. A file that is not empty replaces what
// else its field has.
func multipartForm(r *http.Request) (url.Values, error) {
	unreadable := api.NewProblem(http.StatusBadRequest, "the form could not be read")
	parts, err := r.MultipartReader()
	if err != nil {
		return nil, unreadable
	}
	fields, files := url.Values{}, url.Values{}
	for left := int64(maxForm + service.MaxURLList); ; {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, unreadable
		}
		text, err := io.ReadAll(io.LimitReader(part, left+1))
		if left -= int64(len(text)) + 100; left < 0 { // empty parts have a size, too
			return nil, api.NewProblem(http.StatusRequestEntityTooLarge, "the form is larger than 5 MiB")
		}
		if err != nil {
			return nil, unreadable
		}
		to := fields
		if part.FileName() != "" && len(text) > 0 {
			to = files
		}
		to.Add(part.FormName(), string(text))
	}
	maps.Copy(fields, files)
	return fields, nil
}

// may reports whether the user has at least a role.
func (c *Call) may(role auth.Role) bool {
	return c.Who != nil && c.Who.Role >= role && !c.Site.ReadOnly
}

// See sends the browser to a path of the server after a form was accepted.
func (c *Call) See(path string) error {
	c.W.Header().Set("Location", c.Prefix+"/"+strings.TrimPrefix(path, "/"))
	c.W.WriteHeader(http.StatusSeeOther)
	return nil
}

// clock returns the clock of the person who looks.
func (c *Call) clock() clock {
	if c.Who == nil {
		return clockIn("")
	}
	return clockIn(c.Who.Zone)
}

func (c *Call) page(status int, name, title string, data any) error {
	f := &frame{Base: c.Prefix + "/", Here: strings.TrimPrefix(c.Path, "/"), Title: title, Data: data, Version: c.Site.Version, ReadOnly: c.Site.ReadOnly, Open: c.Site.Open,
		Editor: c.may(auth.Editor), Admin: c.may(auth.Admin), Signed: c.Who != nil}
	times := c.clock()
	f.Zone = times.name()
	if c.Who != nil {
		f.Who = c.Who.Name
	}
	if c.URL.RawQuery != "" {
		f.Here += "?" + c.URL.RawQuery
	}
	if c.Project != nil {
		f.Project = &crumb{c.Project.Name, "projects/" + c.Project.ID}
	}
	if c.Run != nil {
		f.Run = &crumb{"Run of " + times.at(runTime(&c.Run.Run)), "runs/" + c.Run.ID}
	}
	var text bytes.Buffer
	pages, err := templatesOf(times)
	if err == nil {
		err = pages.ExecuteTemplate(&text, name, f)
	}
	if err != nil {
		return err
	}
	h := c.W.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	send(c, status, []byte(report.Visible(text.String())))
	return nil
}

// Fail writes an error page.
func Fail(c *Call, p *api.Problem) error {
	return c.page(p.Status, "error", sentence(p.Title), p)
}

// faultsOf returns the faults of a form by field, or the error if it is not about the form.
// Several messages about a field are joined.
func faultsOf(err error) (map[string]string, error) {
	var p *api.Problem
	if !errors.As(err, &p) || p.Status != http.StatusUnprocessableEntity {
		return nil, err
	}
	faults := map[string]string{}
	for _, f := range p.Errors {
		name := f.Field
		if rest, found := strings.CutPrefix(name, "options."); found {
			name = rest
		}
		if head, rest, found := strings.Cut(name, "."); found && head != "quiet" {
			name = head
			if head == "access" {
				f.Message = rest + ": " + f.Message
			}
			if head == "urls" {
				f.Message = "line " + rest + ": " + f.Message
			}
			if head == "notify" {
				_, name, _ = strings.Cut(rest, ".")
			}
		}
		if faults[name] != "" {
			faults[name] += "; "
		}
		faults[name] += f.Message
	}
	if len(faults) == 0 {
		faults[""] = p.Detail
	}
	return faults, nil
}

// versionOf returns the version of the object that a form was made for, as a condition.
func versionOf(v url.Values) service.Condition {
	if !v.Has("version") {
		return nil
	}
	return service.Condition{v.Get("version")}
}

// conflictOf returns the faults of a form for an object that somebody has changed meanwhile, whose
// values it compares with those that were typed. It returns nil if the error is another.
func conflictOf(err error, typed url.Values, current func(any) url.Values) map[string]string {
	p := asProblem(err)
	if p == nil || p.Status != http.StatusPreconditionFailed {
		return nil
	}
	faults := map[string]string{"": "Somebody has changed it meanwhile. The form has your values, and beside them those that are stored. Send it again to keep yours."}
	stored := current(p.Current)
	for name, values := range stored {
		theirs, yours := plainText(values[0]), plainText(strings.Join(typed[name], "\n"))
		if theirs != yours {
			faults[name] = "it is stored as: " + theirs
		}
	}
	for name := range typed {
		if !stored.Has(name) && plainText(typed.Get(name)) != "" && !slices.Contains(notStored, name) {
			faults[name] = "it is stored as: nothing"
		}
	}
	return faults
}

// notStored are the fields of forms that are not part of an object.
var notStored = []string{"do", "run", "id", "version", "sure"}

// plainText returns the text of a field as browsers do not change it.
func plainText(text string) string {
	return strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
}

// asProblem returns the problem that an error is, or nil.
func asProblem(err error) *api.Problem {
	p, _ := errors.AsType[*api.Problem](err)
	return p
}
