package service

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/audit"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/auth"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/notify"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/runs"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/schedule"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/secret"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/store"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/strictjson"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/similar"
	"github.com/orbweaver/orbweaver/report"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Limits of a project.
const (
	MaxName    = 200 // characters
	MaxTargets = 100
)

// content is what a project was posted with, in clear.
type content struct {
	Name     string            `json:"-"`
	Targets  []string          `json:"targets"`
	Options  map[string]any    `json:"options"`
	Schedule string            `json:"-"`
	Notify   []api.Notify      `json:"notify"`
	Access   map[string]string `json:"-"`
	Tags     []string          `json:"-"`
	Quiet    *api.Quiet        `json:"-"`
	URLs     int               `json:"-"` // without any, it needs targets
}

// noControls is the message for a text that has a control character.
const noControls = "use one line without control characters"

var projectMembers = []string{"name", "targets", "options", "schedule", "notify", "access", "tags", "quiet"}

// Get returns a project as the API shows it.
func (s *Projects) Get(ctx context.Context, row *store.Project) (*api.Project, error) {
	p := &api.Project{ID: row.ID, Name: row.Name, Schedule: row.Schedule, Created: row.Created, Version: row.Version, URLs: row.URLs}
	if err := errors.Join(strictjson.Decode(row.Targets, &p.Targets), strictjson.Decode(row.Options, &p.Options), strictjson.Decode(row.Notify, &p.Notify), strictjson.Decode(row.Access, &p.Access), strictjson.Decode(row.Tags, &p.Tags), strictjson.Decode(row.Quiet, &p.Quiet)); err != nil {
		return nil, fmt.Errorf("read the project %s: %w", row.ID, err)
	}
	var err error
	if p.NextRun, err = nextRun(row); err != nil {
		return nil, err
	}
	last, _, err := s.store.RunsOf(ctx, row.ID, api.Full, 0, 1)
	if err != nil {
		return nil, err
	}
	if len(last) > 0 {
		p.LastRun = &last[0].Run
	}
	return p, nil
}

// ScopeOf returns the projects that somebody may see; nobody stands for a public page, and sees all.
func ScopeOf(who *auth.Identity) store.Scope {
	if who == nil {
		return store.Scope{}
	}
	scope := store.Scope{Project: who.Project}
	if who.Role != auth.Admin {
		scope.Name = who.Key()
	}
	return scope
}

// RoleIn returns the role of somebody in a project, 0 if they must not see it.
func (s *Projects) RoleIn(row *store.Project, who *auth.Identity) (auth.Role, error) {
	names := map[string]string{}
	if err := strictjson.Decode(row.Access, &names); err != nil {
		return 0, fmt.Errorf("read the access to the project %s: %w", row.ID, err)
	}
	var access map[string]auth.Role
	if names != nil {
		access = map[string]auth.Role{}
	}
	for name, role := range names {
		access[name] = roleOf(&role)
	}
	return who.In(row.ID, access), nil
}

// Sees returns what tells whether somebody may see a project now, nil if it is all of them.
func (s *Projects) Sees(ctx context.Context, who *auth.Identity) func(project string) bool {
	if ScopeOf(who) == (store.Scope{}) {
		return nil
	}
	return func(project string) bool {
		row, err := s.store.Project(ctx, project)
		if err != nil {
			return false
		}
		role, err := s.RoleIn(row, who)
		return err == nil && role > 0
	}
}

// Create makes a project from a JSON object and a list of URLs, which may be empty. What is wrong with
// them is an *api.Problem.
func (s *Projects) Create(ctx context.Context, body []byte, list string) (*api.Project, error) {
	row := &store.Project{ID: store.NewID(), Created: time.Now().UTC().Truncate(time.Millisecond)}
	urls, wrong := readURLs(s.engine, list)
	row.List, row.URLs = urls, len(urls)
	next, err := s.read(ctx, &content{Options: map[string]any{}, Notify: []api.Notify{}, Tags: []string{}, URLs: len(urls)}, body, true)
	if err == nil && wrong != nil {
		err = wrong
	}
	if err != nil {
		return nil, err
	}
	p, err := s.put(ctx, row, next)
	if err != nil {
		return nil, err
	}
	return p, s.note(ctx, deed{"project.add", p.ID, p.Name}, nil, p, projectMembers...)
}

// Change replaces the members that a JSON object has.
func (s *Projects) Change(ctx context.Context, row *store.Project, body []byte, ifMatch Condition) (*api.Project, error) {
	return s.update(ctx, row, ifMatch, func(before *content) (*content, error) { return s.read(ctx, before, body, false) })
}

// update changes the content of a project. If somebody else changes it at the same time, the change
// is made again, so that nothing of the other is lost.
func (s *Projects) update(ctx context.Context, row *store.Project, ifMatch Condition, change func(*content) (*content, error)) (*api.Project, error) {
	var p *api.Project
	err := s.retry(ctx, row, ifMatch, func(row *store.Project) error {
		before, err := s.contentOf(row)
		if err != nil {
			return err
		}
		shown, err := s.Get(ctx, row)
		if err != nil {
			return err
		}
		secrets := *before
		next, err := change(before)
		if err != nil {
			return err
		}
		if p, err = s.put(ctx, row, next); err != nil {
			return err
		}
		return s.noteChange(ctx, shown, p, &secrets, next)
	})
	return p, err
}

// noteChange notes what changed, with members of which only secrets did.
func (s *Projects) noteChange(ctx context.Context, before, after *api.Project, was, is *content) error {
	changes, err := audit.Diff(before, after, projectMembers...)
	if err != nil {
		return err
	}
	clear, err := audit.Diff(was, is, "targets", "options", "notify")
	for name := range clear {
		if _, noted := changes[name]; !noted {
			changes[name] = [2]any{secret.Shown, secret.Shown}
		}
	}
	if len(changes) > 0 {
		s.audit.Note(ctx, "project.change", after.ID, after.Name, changes)
	}
	return err
}

// retry calls fn with a project until nobody else has changed it meanwhile.
func (s *Projects) retry(ctx context.Context, row *store.Project, ifMatch Condition, fn func(*store.Project) error) error {
	for {
		if !ifMatch.holds(row.Version) {
			current, err := s.Get(ctx, row)
			if err != nil {
				return err
			}
			return changedMeanwhile(current)
		}
		err := fn(row)
		if !errors.Is(err, store.ErrChanged) {
			return err
		}
		if row, err = s.store.Project(ctx, row.ID); err != nil {
			return err
		}
	}
}

// RemoveNotify removes the nth target of notify. The others keep their secrets, which a list
// without it could not tell apart.
func (s *Projects) RemoveNotify(ctx context.Context, row *store.Project, n int, ifMatch Condition) error {
	_, err := s.update(ctx, row, ifMatch, func(c *content) (*content, error) {
		if n < 0 || n >= len(c.Notify) {
			return nil, api.NewProblem(http.StatusNotFound, "there is no such notification")
		}
		c.Notify = slices.Delete(c.Notify, n, n+1)
		return c, nil
	})
	return err
}

// Delete deletes a project with its runs and marks.
func (s *Projects) Delete(ctx context.Context, row *store.Project, ifMatch Condition) error {
	var ids []string
	err := s.retry(ctx, row, ifMatch, func(row *store.Project) (err error) {
		ids, err = s.store.DeleteProject(ctx, row.ID, row.Version)
		return err
	})
	if err != nil {
		return err
	}
	s.audit.Note(ctx, "project.remove", row.ID, row.Name, nil)
	err = s.notices.Forget(ctx, row.ID)
	for _, run := range ids {
		err = errors.Join(err, s.manager.RemoveFiles(run))
	}
	return err
}

// URLs returns the list of URLs of a project as text.
func (s *Projects) URLs(ctx context.Context, project string) (string, error) {
	urls, err := store.URLs(ctx, s.store, project)
	if err != nil || len(urls) == 0 {
		return "", err
	}
	return strings.Join(urls, "\n") + "\n", nil
}

// PutURLs replaces the list of URLs of a project and returns its length. An empty one removes it, if the
// project has targets.
func (s *Projects) PutURLs(ctx context.Context, row *store.Project, text string, ifMatch Condition) (*api.Project, error) {
	if len(text) > MaxURLList {
		return nil, api.NewProblem(http.StatusRequestEntityTooLarge, "the list is larger than 4 MiB")
	}
	urls, wrong := readURLs(s.engine, text)
	if wrong != nil {
		return nil, wrong
	}
	var p *api.Project
	err := s.retry(ctx, row, ifMatch, func(row *store.Project) (err error) {
		if len(urls) == 0 && string(row.Targets) == "[]" {
			return api.NewProblem(http.StatusConflict, "the project has no targets, so it needs the list")
		}
		before := row.URLs
		row.List, row.URLs = urls, len(urls)
		if err = s.store.PutProject(ctx, row); err != nil {
			return err
		}
		s.audit.Note(ctx, "project.change", row.ID, row.Name, audit.Changes{"urls": {before, row.URLs}})
		p, err = s.Get(ctx, row)
		return err
	})
	return p, err
}

func (s *Projects) put(ctx context.Context, row *store.Project, c *content) (*api.Project, error) {
	if err := s.keep(row, c); err != nil {
		return nil, err
	}
	if err := s.store.PutProject(ctx, row); err != nil {
		return nil, err
	}
	s.follow()
	return s.Get(ctx, row)
}

// keep puts the content of a project into its row, secrets encrypted.
func (s *Projects) keep(row *store.Project, c *content) error {
	row.Name, row.Schedule, row.Handled = c.Name, c.Schedule, time.Now()
	shown := c.hidden()
	for _, column := range []struct {
		into  *json.RawMessage
		value any
	}{{&row.Targets, shown.Targets}, {&row.Options, shown.Options}, {&row.Notify, shown.Notify}, {&row.Access, c.Access}, {&row.Tags, c.Tags}, {&row.Quiet, c.Quiet}} {
		var err error
		if *column.into, err = json.Marshal(column.value); err != nil {
			return err
		}
	}
	clear, err := json.Marshal(c)
	if err != nil {
		return err
	}
	row.Secrets = s.box.Seal("project "+row.ID, string(clear))
	return nil
}

// follow lets schedules and messages follow what was stored: a quiet time may have been taken away.
func (s *Projects) follow() {
	s.changed()
	s.notices.wakeUp()
}

// contentOf returns what a project was posted with, in clear.
func (s *Projects) contentOf(row *store.Project) (*content, error) {
	c := &content{Name: row.Name, Schedule: row.Schedule, URLs: row.URLs}
	clear, err := s.box.Open("project "+row.ID, row.Secrets)
	if err == nil {
		err = errors.Join(strictjson.Decode([]byte(clear), c), strictjson.Decode(row.Access, &c.Access), strictjson.Decode(row.Tags, &c.Tags), strictjson.Decode(row.Quiet, &c.Quiet))
	}
	if err != nil {
		return nil, fmt.Errorf("read the project %s: %w", row.ID, err)
	}
	return c, nil
}

// hidden returns a copy without secrets.
func (c *content) hidden() *content {
	out := *c
	out.Targets = make([]string, len(c.Targets))
	for i, target := range c.Targets {
		out.Targets[i] = urinorm.Redact(target)
	}
	out.Options = map[string]any{}
	for name, value := range c.Options {
		if slices.Contains(secretOptions, name) {
			value = hideValue(value)
		}
		out.Options[name] = value
	}
	out.Notify = slices.Clone(c.Notify)
	for i := range out.Notify {
		if out.Notify[i].Secret != "" {
			out.Notify[i].Secret = secret.Shown
		}
		if out.Notify[i].Token != "" {
			out.Notify[i].Token = secret.Shown
		}
		out.Notify[i].URL = notify.HideURL(out.Notify[i].URL)
	}
	return &out
}

// secretOptions are the options whose values are secrets, which are sent to the hosts of the targets.
var secretOptions = []string{"header", "user"}

// isKept reports whether a value is hidden, or one of a list.
func isKept(value any) bool {
	list, _ := value.([]any)
	return value == secret.Shown || slices.Contains(list, any(secret.Shown))
}

// hideValue hides an option, or each value of a list.
func hideValue(value any) any {
	list, ok := value.([]any)
	if !ok {
		return secret.Shown
	}
	hidden := make([]any, len(list))
	for i := range list {
		hidden[i] = secret.Shown
	}
	return hidden
}

// restore replaces hidden values of an option by those that were stored. It reports whether
// there was one for each.
func restore(value, stored any) (any, bool) {
	if value == secret.Shown {
		return stored, stored != nil
	}
	list, ok := value.([]any)
	if !ok {
		return value, true
	}
	before, _ := stored.([]any)
	if text, ok := stored.(string); ok {
		before = []any{text}
	}
	out := slices.Clone(list)
	for i, item := range out {
		if item != secret.Shown {
			continue
		}
		if i >= len(before) {
			return nil, false
		}
		out[i] = before[i]
	}
	return out, true
}

// read returns the content with the members of a JSON object, or a problem with all faults in
// the order of the members. A new project must have a name and targets.
func (s *Projects) read(ctx context.Context, before *content, body []byte, isNew bool) (*content, error) {
	if len(bytes.TrimSpace(body)) == 0 {
		return nil, api.NewProblem(http.StatusBadRequest, "the body is empty")
	}
	if err := strictjson.Check(ctx, body); err != nil {
		return nil, api.NewProblem(http.StatusBadRequest, "the body is not well-formed JSON: %v", err)
	}
	all, err := strictjson.Members(body)
	if err != nil {
		return nil, api.Invalid(api.Fault{Field: "", Message: "the body is not an object: use {\"name\": …, \"targets\": […]}"})
	}
	c := &change{before: before, next: *before}
	for _, m := range all {
		if m.Name == "targets" { // which secrets are kept depends on them
			c.targetFaults = s.readTargets(c, m.Value)
		}
	}
	var faults []api.Fault
	given := map[string]bool{}
	for _, m := range all {
		given[m.Name] = true
		faults = append(faults, s.readMember(ctx, c, m)...)
	}
	if !given["options"] {
		faults = append(faults, c.lostOptions()...)
	}
	for _, name := range []string{"name", "targets"} {
		if isNew && !given[name] {
			faults = append(faults, api.Fault{Field: name, Message: "it is missing"})
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(faults) > 0 {
		return nil, api.Invalid(faults...)
	}
	return &c.next, nil
}

type change struct {
	before       *content
	next         content
	moved        bool // a target is on another host than those before
	targetFaults []api.Fault
}

// otherHosts is the message for a secret that is not sent to hosts for which it was not given.
const otherHosts = "give the value again, because the targets are on other hosts"

// lostOptions returns the faults of stored secrets that the new targets must not get.
func (c *change) lostOptions() (faults []api.Fault) {
	for _, name := range secretOptions {
		if _, stored := c.before.Options[name]; stored && c.moved {
			faults = append(faults, api.Fault{Field: "options." + name, Message: otherHosts})
		}
	}
	return faults
}

// origins returns the addresses whose schemes, hosts and ports get the secrets of the options.
func (c *content) origins() []string {
	base, _ := c.Options["base-url"].(string)
	if base == "" {
		return c.Targets
	}
	return append(slices.Clone(c.Targets), base)
}

// movesFrom reports whether a target has a scheme, host and port that none of the targets before has.
func movesFrom(before, targets []string) bool {
	known := map[string]bool{}
	for _, t := range before {
		known[originOf(t)] = true
	}
	return slices.ContainsFunc(targets, func(t string) bool { return !known[originOf(t)] })
}

// originOf returns the scheme, host and port of a target; files have the same.
func originOf(target string) string {
	if strings.HasPrefix(strings.ToLower(target), "www.") { // as the engine reads it
		target = "https://" + target
	}
	u, _, err := urinorm.ParseWeb(target)
	if err != nil || u.Host() == "" {
		return "file"
	}
	return fmt.Sprintf("%s://%s:%d", u.Scheme(), u.Host(), u.EffectivePort())
}

func (s *Projects) readMember(ctx context.Context, c *change, m strictjson.Member) []api.Fault {
	next, before := &c.next, c.before
	fault := func(format string, args ...any) []api.Fault {
		return []api.Fault{{Field: m.Name, Message: fmt.Sprintf(format, args...)}}
	}
	switch m.Name {
	case "name":
		if strictjson.Decode(m.Value, &next.Name) != nil || string(m.Value) == "null" {
			return fault("use a string")
		}
		if strings.ContainsFunc(next.Name, report.IsControl) {
			return fault(noControls)
		}
		if n := utf8.RuneCountInString(next.Name); n < 1 || n > MaxName || strings.TrimSpace(next.Name) == "" {
			return fault("use 1 to %d characters", MaxName)
		}
	case "targets":
		return c.targetFaults
	case "options":
		return s.readOptions(ctx, c, m.Value)
	case "schedule":
		if strictjson.Decode(m.Value, &next.Schedule) != nil || string(m.Value) == "null" {
			return fault("use a string")
		}
		if _, err := schedule.Parse(next.Schedule); err != nil {
			return fault("%v", err)
		}
	case "access":
		return s.readAccess(ctx, next, m.Value)
	case "tags":
		return next.readTags(m.Value)
	case "quiet":
		return next.readQuiet(m.Value)
	case "notify":
		return s.notices.read(next, before, m.Value)
	default:
		message := fmt.Sprintf("unknown member %q", m.Name)
		if near := similar.Word(m.Name, projectMembers); near != "" {
			message += fmt.Sprintf(": did you mean %q?", near)
		}
		return []api.Fault{{Field: m.Name, Message: message}}
	}
	return nil
}

// readAccess reads who may see the project.
func (s *Projects) readAccess(ctx context.Context, next *content, value json.RawMessage) (faults []api.Fault) {
	if next.Access = nil; string(value) == "null" {
		return nil
	}
	all, err := strictjson.Members(value)
	if err != nil {
		return []api.Fault{{Field: "access", Message: "use null for everybody, or an object of names and roles"}}
	}
	names, err := s.accounts.Names(ctx)
	if err != nil {
		return []api.Fault{{Field: "access", Message: err.Error()}}
	}
	next.Access = map[string]string{}
	for _, m := range all {
		fault := func(message string) {
			faults = append(faults, api.Fault{Field: "access." + m.Name, Message: message})
		}
		var role string
		if strictjson.Decode(m.Value, &role) != nil || role != "viewer" && role != "editor" {
			fault("use viewer or editor")
			continue
		}
		if !names[m.Name] {
			fault("there is no such user; a token is named token:NAME")
		}
		next.Access[m.Name] = role
	}
	return faults
}

// readTargets reads the targets. A target whose password is hidden keeps the stored one of its host.
func (s *Projects) readTargets(c *change, value json.RawMessage) []api.Fault {
	var items []json.RawMessage
	if err := strictjson.Decode(value, &items); err != nil || items == nil || len(items) == 0 && c.before.URLs == 0 || len(items) > MaxTargets {
		return []api.Fault{{Field: "targets", Message: fmt.Sprintf("use a list of 1 to %d URLs", MaxTargets)}}
	}
	targets, isText := readTexts(items)
	var faults []api.Fault
	var texts []string
	for i, target := range targets {
		if isText[i] {
			texts = append(texts, target)
		}
	}
	c.moved = c.moved || movesFrom(c.before.origins(), texts)
	for i, target := range targets {
		field := fmt.Sprintf("targets.%d", i)
		if !isText[i] {
			faults = append(faults, api.Fault{Field: field, Message: "use a string: the URL of a page"})
			continue
		}
		if strings.Contains(target, ":"+secret.Shown+"@") {
			whole := withPassword(target, c.before.Targets)
			if whole == "" {
				faults = append(faults, api.Fault{Field: field, Message: "no password is stored for it: write it out"})
				continue
			}
			if c.moved {
				faults = append(faults, api.Fault{Field: field, Message: otherHosts})
				continue
			}
			targets[i] = whole
		}
		if _, err := s.engine.CheckTarget(targets[i]); err != nil {
			faults = append(faults, api.Fault{Field: field, Message: err.Error()})
		}
	}
	c.next.Targets = targets
	return faults
}

// readTexts reads the elements of a list, and reports which are strings.
func readTexts(items []json.RawMessage) (texts []string, isText []bool) {
	texts, isText = make([]string, len(items)), make([]bool, len(items))
	for i, item := range items {
		isText[i] = string(item) != "null" && strictjson.Decode(item, &texts[i]) == nil
	}
	return texts, isText
}

// withPassword returns a target with the password that it hides: that of the same target before, else that
// of one with the same user, scheme, host and port. It returns "" if there is none.
func withPassword(target string, before []string) string {
	user, rest, _ := strings.Cut(target, secret.Shown+"@")
	other := ""
	for _, t := range before {
		shown := urinorm.Redact(t)
		if shown == target {
			return t
		}
		path, same := strings.CutPrefix(shown, user+secret.Shown+"@")
		if same && other == "" && strings.HasPrefix(t, user) && strings.HasSuffix(t, "@"+path) && originOf(t) == originOf(target) {
			other = strings.TrimSuffix(t, path) + rest
		}
	}
	return other
}

// readOptions reads the options. A value that is hidden keeps the stored one.
func (s *Projects) readOptions(ctx context.Context, c *change, value json.RawMessage) []api.Fault {
	all, err := strictjson.Members(value)
	if err != nil {
		return []api.Fault{{Field: "options", Message: "use an object"}}
	}
	for _, m := range all { // the base URL gets the secrets, too
		var base string
		if m.Name == "base-url" && strictjson.Decode(m.Value, &base) == nil && base != "" {
			c.moved = c.moved || movesFrom(c.before.origins(), []string{base})
		}
	}
	options := map[string]any{}
	if err := strictjson.Decode(value, &options); err != nil {
		return []api.Fault{{Field: "options", Message: err.Error()}}
	}
	var order []string
	var faults []api.Fault
	for _, m := range all {
		if value := options[m.Name]; slices.Contains(secretOptions, m.Name) {
			delete(options, m.Name)
			kept, ok := restore(value, c.before.Options[m.Name])
			if ok && c.moved && isKept(value) {
				faults = append(faults, api.Fault{Field: "options." + m.Name, Message: otherHosts})
				continue
			}
			if !ok {
				faults = append(faults, api.Fault{Field: "options." + m.Name, Message: "no value is stored for it: write it out"})
				continue
			}
			options[m.Name] = kept
		}
		order = append(order, m.Name)
	}
	c.next.Options = options
	return append(faults, s.engine.Check(ctx, &runs.Job{Options: options}, order)...)
}

// job returns what a run of the project would check, with its secrets.
func (s *Projects) job(row *store.Project) (*runs.Job, error) {
	c, err := s.contentOf(row)
	if err != nil {
		return nil, err
	}
	return &runs.Job{Targets: c.Targets, Options: c.Options}, nil
}
