package service

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/mail"
	"slices"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/audit"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/auth"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/secret"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/store"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/strictjson"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/similar"
)

// Accounts are the users, tokens and sessions.
type Accounts struct {
	*parts
	kept *auth.Store
}

// Me returns somebody's own account.
func (s *Accounts) Me(ctx context.Context, who *auth.Identity) (*api.Me, error) {
	me := &api.Me{Name: who.Name, Role: who.Role.String(), Via: string(who.Via), Digest: auth.Digests[0]}
	if !who.IsPerson() {
		return me, nil
	}
	u, err := s.kept.User(ctx, who.Name)
	if err != nil {
		return nil, accountProblem(err, "name")
	}
	me.Email, me.Zone, me.Digest = u.Email, u.Zone, u.Digest
	return me, nil
}

// ChangeMe sets what somebody may set of the own account.
func (s *Accounts) ChangeMe(ctx context.Context, who *auth.Identity, body []strictjson.Member) (*api.Me, error) {
	if !who.IsPerson() {
		return nil, api.NewProblem(http.StatusConflict, "only people have a profile, and this is a token or nobody's account")
	}
	var c auth.Change
	if err := readMembers(body, fields{"email": textField(&c.Email, checkEmail), "time_zone": textField(&c.Zone, checkZone), "digest": textField(&c.Digest, checkDigest)}); err != nil {
		return nil, err
	}
	before, err := s.Me(ctx, who)
	if err != nil {
		return nil, err
	}
	if err := s.kept.ChangeUser(ctx, who.Name, c); err != nil {
		return nil, accountProblem(err, "")
	}
	me, err := s.Me(ctx, who)
	if err != nil {
		return nil, err
	}
	return me, s.note(ctx, deed{"user.change", "", who.Name}, before, me, "email", "time_zone", "digest")
}

// ChangePassword replaces the own password and ends the other sessions. session is the secret of the
// one that stays. The error may be an auth.LimitError.
func (s *Accounts) ChangePassword(ctx context.Context, who *auth.Identity, body []strictjson.Member, session string, client auth.Client) error {
	var current, next *string
	if err := readMembers(body, fields{"current": textField(&current, nil), "new": textField(&next, auth.CheckPassword)}, "current", "new"); err != nil {
		return err
	}
	err := s.kept.Of(who).ChangePassword(ctx, *current, *next, session, client)
	if errors.Is(err, auth.ErrWrongCredentials) {
		return api.NewProblem(http.StatusForbidden, "the current password is wrong")
	}
	if err == nil {
		s.audit.Note(ctx, "user.change", "", who.Name, newPassword)
	}
	return accountProblem(err, "new")
}

// Sessions returns one part of somebody's own sessions.
func (s *Accounts) Sessions(ctx context.Context, who *auth.Identity, after string, limit int) (*api.List[*api.Session], error) {
	all, err := s.kept.Of(who).Sessions(ctx)
	if err != nil {
		return nil, err
	}
	return pageOf(all, after, limit, func(one *auth.Session) (string, *api.Session) {
		return one.ID, &api.Session{ID: one.ID, Created: one.Created, Used: one.Used, Address: one.Client, Agent: one.Agent, Current: one.ID == who.Session}
	})
}

// EndSession ends one of the own sessions; without an id, all but the one of the request.
func (s *Accounts) EndSession(ctx context.Context, who *auth.Identity, id string) error {
	if id == "" {
		return s.kept.Of(who).EndOthers(ctx)
	}
	return accountProblem(s.kept.Of(who).EndSession(ctx, id), "id")
}

func shownUser(u *auth.User) *api.User {
	return &api.User{Name: u.Name, Role: u.Role.String(), Email: u.Email, Via: string(u.Via), Created: u.Created}
}

// Users returns one part of the accounts, by name.
func (s *Accounts) Users(ctx context.Context, after string, limit int) (*api.List[*api.User], error) {
	all, err := s.kept.Users(ctx)
	if err != nil {
		return nil, err
	}
	return pageOf(all, after, limit, func(u *auth.User) (string, *api.User) { return u.Name, shownUser(u) })
}

// AddUser adds an account.
func (s *Accounts) AddUser(ctx context.Context, body []strictjson.Member) (*api.User, error) {
	var name, password, role, email *string
	err := readMembers(body, fields{"name": textField(&name, auth.CheckName), "password": textField(&password, auth.CheckPassword), "role": textField(&role, checkRole), "email": textField(&email, checkEmail)}, "name", "password")
	if err != nil {
		return nil, err
	}
	if err := s.kept.AddUser(ctx, *name, *password, roleOf(role)); err != nil {
		return nil, accountProblem(err, "name")
	}
	if email != nil {
		if err := s.kept.ChangeUser(ctx, *name, auth.Change{Email: email}); err != nil {
			return nil, accountProblem(err, "name")
		}
	}
	u, err := s.user(ctx, *name)
	if err != nil {
		return nil, err
	}
	return u, s.note(ctx, deed{"user.add", "", *name}, nil, u, "role", "email")
}

// newPassword is how a new password is noted.
var newPassword = audit.Changes{"password": {secret.Shown, secret.Shown}}

func (s *Accounts) user(ctx context.Context, name string) (*api.User, error) {
	u, err := s.kept.User(ctx, name)
	if err != nil {
		return nil, accountProblem(err, "name")
	}
	return shownUser(u), nil
}

// ChangeUser changes the account with a name.
func (s *Accounts) ChangeUser(ctx context.Context, name string, body []strictjson.Member) (*api.User, error) {
	var c auth.Change
	var role *string
	err := readMembers(body, fields{"role": textField(&role, checkRole), "password": textField(&c.Password, auth.CheckPassword), "email": textField(&c.Email, checkEmail)})
	if err != nil {
		return nil, err
	}
	if role != nil {
		c.Role = new(roleOf(role))
	}
	before, err := s.user(ctx, name)
	if err != nil {
		return nil, err
	}
	if err := s.kept.ChangeUser(ctx, name, c); err != nil {
		return nil, accountProblem(err, "name")
	}
	u, err := s.user(ctx, name)
	if err != nil {
		return nil, err
	}
	if c.Password != nil {
		s.audit.Note(ctx, "user.change", "", name, newPassword)
	}
	return u, s.note(ctx, deed{"user.change", "", name}, before, u, "role", "email")
}

// HasUser returns a problem if there is no account with a name.
func (s *Accounts) HasUser(ctx context.Context, name string) error {
	_, err := s.user(ctx, name)
	return err
}

// RemoveUser removes the account with a name.
func (s *Accounts) RemoveUser(ctx context.Context, name string) error {
	err := s.kept.RemoveUser(ctx, name, false)
	if err == nil {
		s.audit.Note(ctx, "user.remove", "", name, nil)
	}
	return accountProblem(err, "name")
}

func shownToken(t *auth.Token) *api.Token {
	shown := &api.Token{Name: t.Name, Role: t.Role.String(), Created: t.Created}
	if !t.Expires.IsZero() {
		shown.Expires = &t.Expires
	}
	if t.Project != "" {
		shown.Project = &t.Project
	}
	return shown
}

// Tokens returns one part of the tokens, by name.
func (s *Accounts) Tokens(ctx context.Context, after string, limit int) (*api.List[*api.Token], error) {
	all, err := s.kept.Tokens(ctx)
	if err != nil {
		return nil, err
	}
	return pageOf(all, after, limit, func(t auth.Token) (string, *api.Token) { return t.Name, shownToken(&t) })
}

// AddToken makes a token. Its secret is only in this answer.
func (s *Accounts) AddToken(ctx context.Context, body []strictjson.Member) (*api.Token, error) {
	var name, role, project *string
	t := auth.Token{Created: time.Now().UTC().Truncate(time.Millisecond)}
	var expires *time.Time
	exists := func(id string) error {
		_, err := s.store.Project(ctx, id)
		if errors.Is(err, store.ErrNotFound) {
			return fmt.Errorf("there is no project %q", id)
		}
		return err
	}
	err := readMembers(body, fields{"name": textField(&name, auth.CheckName), "role": textField(&role, checkRole), "expires": expiryField(t.Created, &expires), "project": orNone(textField(&project, exists))}, "name")
	if err != nil {
		return nil, err
	}
	if t.Name, t.Role = *name, roleOf(role); expires != nil {
		t.Expires = *expires
	}
	if project != nil {
		t.Project = *project
	}
	token, err := s.kept.CreateToken(ctx, t)
	if err != nil {
		return nil, accountProblem(err, "name")
	}
	shown := shownToken(&t)
	err = s.note(ctx, deed{"token.add", "", t.Name}, nil, shown, "role", "expires", "project")
	shown.Token = token
	return shown, err
}

// HasToken returns a problem if there is no token with a name.
func (s *Accounts) HasToken(ctx context.Context, name string) error {
	all, err := s.kept.Tokens(ctx)
	if err == nil && !slices.ContainsFunc(all, func(t auth.Token) bool { return t.Name == name }) {
		err = api.NewProblem(http.StatusNotFound, "there is no token %q", name)
	}
	return err
}

// RemoveToken removes the token with a name.
func (s *Accounts) RemoveToken(ctx context.Context, name string) error {
	err := s.kept.RemoveToken(ctx, name)
	if err == nil {
		s.audit.Note(ctx, "token.remove", "", name, nil)
	}
	return accountProblem(err, "name")
}

// accountProblem returns the problem for an error of the accounts, which is about a field unless it
// has a status of its own.
func accountProblem(err error, field string) error {
	var status int
	switch {
	case err == nil || !errors.Is(err, auth.ErrUsage):
		return err
	case errors.Is(err, auth.ErrUnknown):
		status = http.StatusNotFound
	case errors.Is(err, auth.ErrLastAdmin), errors.Is(err, auth.ErrManaged):
		status = http.StatusConflict
	default:
		return api.Invalid(api.Fault{Field: field, Message: usageText(err)})
	}
	return api.NewProblem(status, "%s", usageText(err))
}

// usageText returns an error of the accounts without what only programs need.
func usageText(err error) string {
	text, _, _ := strings.Cut(err.Error(), " ("+auth.ErrUsage.Error())
	return strings.ReplaceAll(text, auth.ErrUsage.Error()+": ", "")
}

// fields read the members of an object. Each returns what is wrong with a value, or "".
type fields map[string]func(json.RawMessage) string

// readMembers reads an object, in which the required members must be. The error is a problem with all
// faults, in the order of the members.
func readMembers(body []strictjson.Member, known fields, required ...string) error {
	if faults := known.read(body, required...); len(faults) > 0 {
		return api.Invalid(faults...)
	}
	return nil
}

func (known fields) read(body []strictjson.Member, required ...string) (faults []api.Fault) {
	for _, m := range body {
		read, ok := known[m.Name]
		if !ok {
			message := fmt.Sprintf("unknown member %q", m.Name)
			if near := similar.Word(m.Name, slices.Sorted(maps.Keys(known))); near != "" {
				message += fmt.Sprintf(": did you mean %q?", near)
			}
			faults = append(faults, api.Fault{Field: m.Name, Message: message})
		} else if message := read(m.Value); message != "" {
			faults = append(faults, api.Fault{Field: m.Name, Message: message})
		}
	}
	for _, name := range required {
		if !slices.ContainsFunc(body, func(m strictjson.Member) bool { return m.Name == name }) {
			faults = append(faults, api.Fault{Field: name, Message: "it is missing"})
		}
	}
	return faults
}

// inOrder returns the faults of an object, and those of more that are at other members than these, in the
// order of the members.
func inOrder(body []strictjson.Member, faults, more []api.Fault) []api.Fault {
	known, places := map[string]bool{}, map[string]int{} // there may be very many
	for _, f := range faults {
		known[f.Field] = true
	}
	for _, f := range more {
		if !known[f.Field] {
			faults = append(faults, f)
		}
		known[f.Field] = true
	}
	for i, m := range body {
		places[m.Name] = i
	}
	place := func(f api.Fault) int {
		name, _, _ := strings.Cut(f.Field, ".")
		if at, given := places[name]; given {
			return at
		}
		return len(body)
	}
	slices.SortStableFunc(faults, func(a, b api.Fault) int { return place(a) - place(b) })
	return faults
}

// textField reads a text that check, unless nil, finds right.
func textField(into **string, check func(string) error) func(json.RawMessage) string {
	return func(value json.RawMessage) string {
		var text string
		if string(value) == "null" || strictjson.Decode(value, &text) != nil {
			return "use a string"
		}
		if check != nil {
			if err := check(text); err != nil {
				return usageText(err)
			}
		}
		*into = &text
		return ""
	}
}

// orNone also takes null and "" for no value.
func orNone(read func(json.RawMessage) string) func(json.RawMessage) string {
	return func(value json.RawMessage) string {
		if text := string(value); text == "null" || text == `""` {
			return ""
		}
		return read(value)
	}
}

func checkRole(name string) error {
	_, err := auth.ParseRole(name)
	return err
}

// roleOf returns the role with a name that was checked; without one, the least.
func roleOf(name *string) auth.Role {
	if name == nil {
		return auth.Viewer
	}
	role, err := auth.ParseRole(*name)
	if err != nil {
		return auth.Viewer
	}
	return role
}

// maxEmail is the longest mail address, in bytes (RFC 5321, section 4.5.3.1.3).
const maxEmail = 254

func checkEmail(text string) error {
	if text == "" {
		return nil
	}
	if a, err := mail.ParseAddress(text); err != nil || a.Address != text || len(text) > maxEmail {
		return errors.New("use a mail address, such as ada@example.com")
	}
	return nil
}

func checkZone(name string) error {
	if _, err := time.LoadLocation(name); err != nil || name == "Local" {
		return errors.New("use the name of a time zone, such as Europe/Berlin, or nothing for that of the server")
	}
	return nil
}

func checkDigest(word string) error {
	if !slices.Contains(auth.Digests, word) {
		return errors.New("use " + strings.Join(auth.Digests, ", "))
	}
	return nil
}

// pageOf returns one part of a list, whose items have names.
func pageOf[From, To any](all []From, after string, limit int, shown func(From) (string, To)) (*api.List[To], error) {
	list := &api.List[To]{Items: []To{}, Total: len(all)}
	skip := after != ""
	last := ""
	for _, one := range all {
		name, item := shown(one)
		cursor := base64.RawURLEncoding.EncodeToString([]byte(name))
		if skip {
			skip = cursor != after
			continue
		}
		if len(list.Items) == limit {
			list.Next = &last
			return list, nil
		}
		list.Items = append(list.Items, item)
		last = cursor
	}
	if skip {
		return nil, invalidCursor()
	}
	return list, nil
}
