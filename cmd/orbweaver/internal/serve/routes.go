package serve

import (
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/auth"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/findings"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/service"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/store"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/strictjson"
)

const v1 = "/api/v1"

// textType is the media type of lists of URLs.
const textType = "text/plain; charset=utf-8"

// Parameters of lists.
var (
	limitParameter = parameter{"limit", "number of items, 1 to 1000; the default is 100"}
	afterParameter = parameter{"after", "the cursor `next` of the part before"}
	eventParameter = parameter{"after", "the id of the last event that is known; Last-Event-ID counts first"}
	tokenParameter = parameter{"token", "a read-only token, instead of credentials"}
)

var findingParameters = []parameter{
	{"verdict", "broken, unverified, warning, ok or skipped; several with commas"}, {"code", "a code; several with commas"},
	{"scope", "internal or external"}, {"host", "the host of the target"}, {"page", "the URL of a page that refers to the target"},
	{"q", "a part of the URL or the message, in any case"}, {"change", "new, still or fixed, compared with the sound run before"},
	{"known", "true or false: whether a mark is in force"}, {"issue", "the id of an issue"}, {"sort", "url, code or places"}, limitParameter, afterParameter,
}

var issueParameters = []parameter{
	{"verdict", "broken, unverified or warning; several with commas"}, {"code", "a code; several with commas"},
	{"scope", "internal or external"}, {"host", "the host of a target"}, {"q", "a part of the subject, or of the URL or the message of a finding, in any case"},
	{"change", "new, still or fixed, compared with the sound run before"}, {"known", "true or false: whether a finding is under a mark"},
	{"owner", "a name, me or none"}, {"sort", "pages, findings, delta, code or url"}, limitParameter, afterParameter,
}

// routes returns the table.
func routes() []route {
	form := []string{}
	table := []route{
		{Method: "GET", Path: "/healthz", Public: true, Handle: func(c *call) error { return c.raw(http.StatusOK, "text/plain; charset=utf-8", []byte("ok\n")) }},
		{Method: "GET", Path: "/readyz", Public: true, Handle: ready},
		{Method: "GET", Path: "/metrics", Role: auth.Viewer, Handle: showMetrics},

		{Method: "GET", Path: "/login", Public: true, Handle: showLogin},
		{Method: "POST", Path: "/login", Public: true, Always: true, Form: form, Handle: login},
		{Method: "GET", Path: "/login/sso", Public: true, Handle: func(c *call) error { return signOn{c}.begin() }},
		{Method: "GET", Path: "/login/callback", Public: true, Handle: func(c *call) error { return signOn{c}.end() }},
		{Method: "POST", Path: "/logout", Role: auth.Viewer, Always: true, Form: form, Handle: logout},
		{Method: "GET", Path: "/setup", Public: true, Handle: setUp},
		{Method: "POST", Path: "/setup", Public: true, Form: form, Handle: setUp},

		{Method: "GET", Path: v1 + "/openapi.json", Role: auth.Viewer, Handle: showOpenAPI,
			Doc: "this description", Answers: map[int]string{200: "Any"}},
		{Method: "GET", Path: v1 + "/events", Role: auth.Viewer, Handle: allEvents,
			Doc:   "what happens in the runs of all projects, as server-sent events: run and progress",
			Query: []parameter{eventParameter}, Answers: map[int]string{200: "text/event-stream"}},
		{Method: "GET", Path: v1 + "/me", Role: auth.Viewer, Handle: showMe,
			Doc: "one's own account", Answers: map[int]string{200: "Me"}},
		{Method: "PATCH", Path: v1 + "/me", Role: auth.Viewer, Handle: changeMe,
			Doc: "set one's own mail address, time zone and summary by mail", Body: "MeChange", Answers: map[int]string{200: "Me"}},
		{Method: "POST", Path: v1 + "/me/digest", Role: auth.Viewer, Handle: sendDigest,
			Doc: "send the digest of one's projects to one's own mail address", Answers: map[int]string{200: "Mailed"}},
		{Method: "PUT", Path: v1 + "/me/password", Role: auth.Viewer, Handle: changePassword,
			Doc: "change one's own password, which ends the other sessions", Body: "PasswordChange", Answers: map[int]string{204: ""}},
		{Method: "GET", Path: v1 + "/me/sessions", Role: auth.Viewer, Handle: listSessions,
			Doc: "list one's own sessions, the last used first", Query: []parameter{limitParameter, afterParameter}, Answers: map[int]string{200: "SessionList"}},
		{Method: "DELETE", Path: v1 + "/me/sessions", Role: auth.Viewer, Handle: endSession,
			Doc: "end one's own sessions but the one of the request", Answers: map[int]string{204: ""}},
		{Method: "DELETE", Path: v1 + "/me/sessions/{id}", Role: auth.Viewer, Handle: endSession,
			Doc: "end one of one's own sessions", Answers: map[int]string{204: ""}},
		{Method: "GET", Path: v1 + "/users", Role: auth.Admin, Handle: listUsers,
			Doc: "list the accounts, by name", Query: []parameter{limitParameter, afterParameter}, Answers: map[int]string{200: "UserList"}},
		{Method: "POST", Path: v1 + "/users", Role: auth.Admin, Handle: addUser,
			Doc: "add an account", Body: "UserInput", Answers: map[int]string{201: "User"}},
		{Method: "PATCH", Path: v1 + "/users/{name}", Role: auth.Admin, Handle: changeUser,
			Doc: "set the role, the password or the mail address of an account", Body: "UserChange", Answers: map[int]string{200: "User"}},
		{Method: "DELETE", Path: v1 + "/users/{name}", Role: auth.Admin, Handle: removeUser,
			Doc: "remove an account and end its sessions", Answers: map[int]string{204: ""}},
		{Method: "GET", Path: v1 + "/tokens", Role: auth.Admin, Handle: listTokens,
			Doc: "list the tokens, by name", Query: []parameter{limitParameter, afterParameter}, Answers: map[int]string{200: "TokenList"}},
		{Method: "POST", Path: v1 + "/tokens", Role: auth.Admin, Handle: addToken,
			Doc: "make a token, which is only in this answer", Body: "TokenInput", Answers: map[int]string{201: "Token"}},
		{Method: "DELETE", Path: v1 + "/tokens/{name}", Role: auth.Admin, Handle: removeToken,
			Doc: "revoke a token and end its sessions", Answers: map[int]string{204: ""}},
		{Method: "GET", Path: v1 + "/export", Role: auth.Admin, Handle: exportProjects,
			Doc: "all projects with their marks and views, without ids and secrets", Query: []parameter{{"format", "json or toml"}, {"project", "the id of the only one"}}, Answers: map[int]string{200: "Exchange application/toml"}},
		{Method: "POST", Path: v1 + "/import", Role: auth.Admin, Raw: true, Handle: importProjects,
			Doc: "add or change projects by their names, all or none; also as application/toml", Query: []parameter{{"try", "true only tells what would be done"}}, Body: "Exchange", Answers: map[int]string{200: "Imported"}},
		{Method: "GET", Path: v1 + "/audit", Role: auth.Admin, Handle: listAudit,
			Doc: "list who did what, newest first; format=csv gives all that matches as CSV", Query: []parameter{{"who", "a name, token:NAME, command or server"}, {"action", "such as project.change"}, {"project", "the id of a project"},
				{"from", "a date, or a time (RFC 3339), which is included"}, {"to", "a time that is not included, or a date that is"}, {"format", "json or csv"}, limitParameter, afterParameter}, Answers: map[int]string{200: "EntryList text/csv"}},
		{Method: "GET", Path: v1 + "/status-pages", Role: auth.Admin, Handle: listStatusPages,
			Doc: "list the status pages, oldest first", Query: []parameter{limitParameter, afterParameter}, Answers: map[int]string{200: "StatusPageList"}},
		{Method: "POST", Path: v1 + "/status-pages", Role: auth.Admin, Handle: createStatusPage,
			Doc: "make a page that tells how several projects are; the token is only in this answer", Body: "StatusPageInput", Answers: map[int]string{201: "StatusPage"}},
		{Method: "DELETE", Path: v1 + "/status-pages/{id}", Role: auth.Admin, Handle: deleteStatusPage,
			Doc: "remove a status page", Answers: map[int]string{204: ""}},
		{Method: "GET", Path: v1 + "/projects", Role: auth.Viewer, Handle: listProjects,
			Doc: "list projects", Query: []parameter{{"q", "a part of the name, a target or a tag, in any case"}, {"tag", "a tag; several: all of them"}, {"state", "broken, ok, unreliable, running or never"}, {"sort", "name, broken, checked, next or created"}, limitParameter, afterParameter}, Answers: map[int]string{200: "ProjectList"}},
		{Method: "POST", Path: v1 + "/projects", Role: auth.Admin, Handle: createProject,
			Doc: "create a project", Body: "ProjectInput", Answers: map[int]string{201: "Project"}},
		{Method: "GET", Path: v1 + "/projects/{p}", Role: auth.Viewer, Handle: showProject,
			Doc: "a project", Answers: map[int]string{200: "Project"}},
		{Method: "PATCH", Path: v1 + "/projects/{p}", Role: auth.Admin, Handle: changeProject,
			Doc: "replace the members that are given", Body: "ProjectChange", Answers: map[int]string{200: "Project"}},
		{Method: "DELETE", Path: v1 + "/projects/{p}", Role: auth.Admin, Handle: deleteProject,
			Doc: "delete a project with its runs and marks", Answers: map[int]string{204: ""}},
		{Method: "GET", Path: v1 + "/projects/{p}/urls", Role: auth.Viewer, Handle: showURLs,
			Doc: "the further URLs that a project only checks, one a line", Answers: map[int]string{200: textType}},
		{Method: "PUT", Path: v1 + "/projects/{p}/urls", Role: auth.Admin, Handle: putURLs, Text: service.MaxURLList,
			Doc: "replace the further URLs that a project only checks: up to 10,000, one a line", Body: textType, Answers: map[int]string{200: "URLCount"}},
		{Method: "DELETE", Path: v1 + "/projects/{p}/urls", Role: auth.Admin, Handle: deleteURLs,
			Doc: "remove the further URLs that a project only checks", Answers: map[int]string{204: ""}},
		{Method: "GET", Path: v1 + "/projects/{p}/runs", Role: auth.Viewer, Handle: listRuns,
			Doc: "list the runs of a project, newest first", Query: []parameter{limitParameter, afterParameter}, Answers: map[int]string{200: "RunList"}},
		{Method: "POST", Path: v1 + "/projects/{p}/runs", Role: auth.Editor, Handle: startRun,
			Doc: "start a run", Body: "RunInput", Optional: true, Answers: map[int]string{202: "Run"}},
		{Method: "GET", Path: v1 + "/projects/{p}/marks", Role: auth.Viewer, Handle: listMarks,
			Doc: "list the marks of a project", Query: []parameter{limitParameter, afterParameter}, Answers: map[int]string{200: "MarkList"}},
		{Method: "PUT", Path: v1 + "/projects/{p}/marks/{fingerprint}", Role: auth.Editor, Handle: putMark,
			Doc: "mark a finding as known", Body: "MarkInput", Answers: map[int]string{200: "Mark"}},
		{Method: "DELETE", Path: v1 + "/projects/{p}/marks/{fingerprint}", Role: auth.Editor, Handle: deleteMark,
			Doc: "remove a mark", Answers: map[int]string{204: ""}},
		{Method: "POST", Path: v1 + "/projects/{p}/marks", Role: auth.Editor, Handle: putMarks,
			Doc: "mark many findings as known, or remove their marks; all or none", Body: "MarksInput", Answers: map[int]string{200: "Changed"}},
		{Method: "PATCH", Path: v1 + "/projects/{p}/issues/{id}", Role: auth.Editor, Handle: changeIssue,
			Doc: "give an issue an owner, or none", Body: "IssueChange", Answers: map[int]string{200: "Issue"}},
		{Method: "GET", Path: v1 + "/projects/{p}/issues/{id}/comments", Role: auth.Viewer, Handle: listComments,
			Doc: "list the comments on an issue, oldest first", Query: []parameter{limitParameter, afterParameter}, Answers: map[int]string{200: "CommentList"}},
		{Method: "POST", Path: v1 + "/projects/{p}/issues/{id}/comments", Role: auth.Editor, Handle: addComment,
			Doc: "comment on an issue", Body: "CommentInput", Answers: map[int]string{201: "Comment"}},
		{Method: "DELETE", Path: v1 + "/projects/{p}/issues/{id}/comments/{comment}", Role: auth.Editor, Handle: deleteComment,
			Doc: "delete a comment; its author and administrators may", Answers: map[int]string{204: ""}},
		{Method: "GET", Path: v1 + "/projects/{p}/views", Role: auth.Viewer, Handle: listViews,
			Doc: "list the saved views of a project, by name", Query: []parameter{limitParameter, afterParameter}, Answers: map[int]string{200: "ViewList"}},
		{Method: "POST", Path: v1 + "/projects/{p}/views", Role: auth.Editor, Handle: addView,
			Doc: "save a query of findings or issues", Body: "ViewInput", Answers: map[int]string{201: "View"}},
		{Method: "DELETE", Path: v1 + "/projects/{p}/views/{id}", Role: auth.Editor, Handle: deleteView,
			Doc: "delete a view", Answers: map[int]string{204: ""}},
		{Method: "GET", Path: v1 + "/projects/{p}/links", Role: auth.Admin, Handle: listLinks,
			Doc: "list the read-only addresses of a project", Query: []parameter{limitParameter, afterParameter}, Answers: map[int]string{200: "LinkList"}},
		{Method: "POST", Path: v1 + "/projects/{p}/links", Role: auth.Admin, Handle: createLink,
			Doc: "make a read-only address; the token is only in this answer", Body: "LinkInput", Answers: map[int]string{201: "Link"}},
		{Method: "DELETE", Path: v1 + "/projects/{p}/links/{id}", Role: auth.Admin, Handle: deleteLink,
			Doc: "revoke a read-only address", Answers: map[int]string{204: ""}},
		{Method: "POST", Path: v1 + "/projects/{p}/notify/{n}/test", Role: auth.Admin, Handle: testNotify,
			Doc: "send a test to a target of notify; the first one is 0", Answers: map[int]string{200: "Delivery"}},
		{Method: "GET", Path: v1 + "/projects/{p}/feed.atom", Role: auth.Viewer, Link: "feed", Handle: feed,
			Doc: "what notifications would say, as a feed", Query: []parameter{tokenParameter}, Answers: map[int]string{200: "application/atom+xml"}},
		{Method: "GET", Path: v1 + "/projects/{p}/badge.svg", Role: auth.Viewer, Link: "badge", Handle: badge,
			Doc: "the result of the last sound run, as an image", Query: []parameter{tokenParameter}, Answers: map[int]string{200: "image/svg+xml"}},
		{Method: "GET", Path: v1 + "/runs/{r}", Role: auth.Viewer, Handle: showRun,
			Doc: "a run", Answers: map[int]string{200: "Run"}},
		{Method: "POST", Path: v1 + "/runs/{r}/stop", Role: auth.Editor, Handle: stopRun,
			Doc: "stop a run", Answers: map[int]string{202: "Run"}},
		{Method: "POST", Path: v1 + "/runs/{r}/resume", Role: auth.Editor, Handle: resumeRun,
			Doc: "resume an interrupted run", Answers: map[int]string{202: "Run"}},
		{Method: "GET", Path: v1 + "/runs/{r}/events", Role: auth.Viewer, Handle: events,
			Doc:   "what happens in a run, as server-sent events: progress, finding and state",
			Query: []parameter{eventParameter}, Answers: map[int]string{200: "text/event-stream", 204: ""}},
		{Method: "GET", Path: v1 + "/runs/{r}/findings", Role: auth.Viewer, Handle: listFindings,
			Doc: "list the findings of a run", Query: findingParameters, Answers: map[int]string{200: "FindingList"}},
		{Method: "GET", Path: v1 + "/runs/{r}/issues", Role: auth.Viewer, Handle: listIssues,
			Doc: "list the issues of a run: what one repair settles", Query: issueParameters, Answers: map[int]string{200: "IssueList"}},
		{Method: "GET", Path: v1 + "/runs/{r}/issues/{id}", Role: auth.Viewer, Handle: showIssue,
			Doc: "an issue with its first pages and findings", Answers: map[int]string{200: "IssueDetail"}},
		{Method: "GET", Path: v1 + "/runs/{r}/findings/{id}", Role: auth.Viewer, Handle: showFinding,
			Doc: "a finding with every place and its history", Answers: map[int]string{200: "FindingDetail"}},
		{Method: "GET", Path: v1 + "/runs/{r}/pages", Role: auth.Viewer, Handle: listPages,
			Doc: "list the pages of a run", Query: []parameter{{"q", "a part of the URL or the title, in any case"},
				{"status", "a status such as 404, or a class such as 4xx"}, {"depth", "links from a start page"}, {"type", "a media type, or none"},
				{"sort", "url, status, depth, in, out, type, size, elapsed, broken, or links, which is in"}, {"order", "asc or desc; the default is asc for url and depth"}, limitParameter, afterParameter}, Answers: map[int]string{200: "PageList"}},
		{Method: "GET", Path: v1 + "/runs/{r}/figures", Role: auth.Viewer, Handle: showFigures,
			Doc: "the pages of a run, counted by status, depth, media type and response time", Answers: map[int]string{200: "Figures"}},
		{Method: "GET", Path: v1 + "/runs/{r}/report", Role: auth.Viewer, Handle: showReport,
			Doc: "the report of a run", Query: []parameter{{"format", "a format of the command report; the default is json"}, {"show", "the results to list, as its flag --show"}},
			Answers: map[int]string{200: "*/*"}},
		{Method: "GET", Path: v1 + "/runs/{r}/evidence", Role: auth.Viewer, Handle: showEvidence,
			Doc: "what a run with the option evidence-of asked and was answered, as a WACZ file", Answers: map[int]string{200: "application/wacz"}},
		{Method: "GET", Path: v1 + "/runs/{r}/compare", Role: auth.Viewer, Handle: showCompare,
			Doc: "what changed between two runs", Query: []parameter{{"with", "the older run; the default is the sound run before"},
				{"list", "new, fixed or still: that list alone, as a list with next and total"}, {"limit", "number of findings of each list, 1 to 1000; the default is 1000, and 100 with list"}, afterParameter}, Answers: map[int]string{200: "ComparisonOrList"}},
		{Method: "POST", Path: v1 + "/runs/{r}/recheck", Role: auth.Editor, Handle: recheck,
			Doc: "request targets of a run again", Body: "RecheckInput", Answers: map[int]string{200: "RecheckOrList"}},
	}
	return append(table, pageRoutes()...)
}

func showMetrics(c *call) error {
	text, err := c.server.writeMetrics(c.Context())
	if err != nil {
		return err
	}
	return c.raw(http.StatusOK, "text/plain; version=0.0.4; charset=utf-8", []byte(text))
}

// part reads limit and after, and answers with a part of a list.
func part[T any](c *call, list func(after string, limit int) (*api.List[T], error)) error {
	q := c.query()
	limit := q.limit()
	if err := q.problem(); err != nil {
		return err
	}
	l, err := list(q.text("after"), limit)
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, l)
}

func listProjects(c *call) error {
	q, err := c.query().projects()
	if err != nil {
		return err
	}
	list, err := c.server.service.Projects.List(c.Context(), service.ScopeOf(c.who), q)
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, list)
}

func createProject(c *call) error {
	p, err := c.server.service.Projects.Create(c.Context(), c.body, "")
	if err != nil {
		return err
	}
	c.w.Header().Set("Location", c.prefix+v1+"/projects/"+p.ID)
	setVersion(c.w, p.Version)
	return c.json(http.StatusCreated, p)
}

func showProject(c *call) error {
	p, err := c.server.service.Projects.Get(c.Context(), c.project)
	if err != nil {
		return err
	}
	setVersion(c.w, p.Version)
	return c.json(http.StatusOK, p)
}

func changeProject(c *call) error {
	p, err := c.server.service.Projects.Change(c.Context(), c.project, c.body, ifMatch(c.Header))
	if err != nil {
		return err
	}
	setVersion(c.w, p.Version)
	return c.json(http.StatusOK, p)
}

func showURLs(c *call) error {
	text, err := c.server.service.Projects.URLs(c.Context(), c.project.ID)
	if err != nil {
		return err
	}
	setVersion(c.w, c.project.Version)
	return c.raw(http.StatusOK, textType, []byte(text))
}

func putURLs(c *call) error {
	p, err := c.server.service.Projects.PutURLs(c.Context(), c.project, string(c.body), ifMatch(c.Header))
	if err != nil {
		return err
	}
	setVersion(c.w, p.Version)
	return c.json(http.StatusOK, object{"urls": p.URLs})
}

func deleteURLs(c *call) error {
	_, err := c.server.service.Projects.PutURLs(c.Context(), c.project, "", ifMatch(c.Header))
	return done(c.w, err)
}

func deleteProject(c *call) error {
	if err := c.server.service.Projects.Delete(c.Context(), c.project, ifMatch(c.Header)); err != nil {
		return err
	}
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}

func listRuns(c *call) error {
	return part(c, func(after string, limit int) (*api.List[*api.Run], error) {
		return c.server.service.Runs.List(c.Context(), c.project.ID, "", after, limit)
	})
}

func startRun(c *call) error {
	kind := api.Full
	if len(c.body) > 0 {
		fields, err := c.members()
		if err != nil {
			return err
		}
		for _, f := range fields {
			switch {
			case f.Name != "only":
				return api.Invalid(api.Fault{Field: f.Name, Message: "unknown member \"" + f.Name + "\""})
			case strictjson.Decode(f.Value, &kind) != nil || kind != api.Failing:
				return api.Invalid(api.Fault{Field: "only", Message: "use failing, or leave it out"})
			}
		}
	}
	r, err := c.server.service.Runs.Start(c.Context(), c.project, kind)
	if err != nil {
		return err
	}
	c.w.Header().Set("Location", c.prefix+v1+"/runs/"+r.ID)
	return c.json(http.StatusAccepted, r)
}

func showRun(c *call) error { return c.json(http.StatusOK, &c.run.Run) }

func stopRun(c *call) error {
	r, err := c.server.service.Runs.Stop(c.Context(), c.run.ID, c.who.Name)
	if err != nil {
		return err
	}
	return c.json(http.StatusAccepted, r)
}

func resumeRun(c *call) error {
	r, err := c.server.service.Runs.Resume(c.Context(), c.run.ID)
	if err != nil {
		return err
	}
	return c.json(http.StatusAccepted, r)
}

func listFindings(c *call) error {
	q, err := c.query().findings()
	if err != nil {
		return err
	}
	list, err := c.server.service.Findings.List(c.Context(), c.run, q)
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, list)
}

func showFinding(c *call) error {
	f, err := c.server.service.Findings.Get(c.Context(), c.run, c.PathValue("id"))
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, f)
}

func listPages(c *call) error {
	q, err := c.query().pages()
	if err != nil {
		return err
	}
	list, err := c.server.service.Findings.Pages(c.Context(), c.run, q)
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, list)
}

func showFigures(c *call) error {
	f, err := c.server.service.Findings.Figures(c.Context(), c.run)
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, f)
}

func showReport(c *call) error {
	q := c.query()
	format, show := "json", "broken,unverified,warning"
	if q.values.Has("format") {
		format = q.text("format")
	}
	if q.values.Has("show") {
		show = q.text("show")
	}
	f, err := c.server.service.Runs.ReportFormat(format, show)
	if err != nil {
		return err
	}
	if err := c.server.service.Runs.HasState(c.run); err != nil {
		return err
	}
	h := c.w.Header()
	h.Set("Content-Type", mediaType(f))
	h.Set("Content-Security-Policy", "sandbox; "+policy)
	extension := ".txt"
	if len(f.Extensions) > 0 {
		extension = f.Extensions[0]
	}
	h.Set("Content-Disposition", `attachment; filename="orbweaver-`+c.run.ID+extension+`"`)
	if c.Method == http.MethodHead {
		c.w.WriteHeader(http.StatusOK)
		return nil
	}
	return c.server.service.Runs.WriteReport(c.Context(), c.run, f.Name, show, c.w)
}

func showEvidence(c *call) error {
	f, err := c.server.service.Runs.Evidence(c.run)
	if err != nil {
		return err
	}
	defer f.Close()
	h := c.w.Header()
	h.Set("Content-Type", "application/wacz")
	h.Set("Content-Disposition", `attachment; filename="orbweaver-`+c.run.ID+`.wacz"`)
	http.ServeContent(c.w, c.Request, "", time.Time{}, f)
	return nil
}

func showCompare(c *call) error {
	q := c.query()
	with, only := q.text("with"), q.word("list", findings.ListNew, findings.ListFixed, findings.ListStill)
	limit := q.limit()
	if err := q.problem(); err != nil {
		return err
	}
	if only != "" {
		lists, err := c.server.service.Findings.Lists(c.Context(), c.run, with, &findings.CompareQuery{Lists: []string{only}, Limit: limit, After: q.text("after")})
		if err != nil {
			return err
		}
		return c.json(http.StatusOK, lists[only])
	}
	if !q.values.Has("limit") {
		limit = maxCompared
	}
	comparison, err := c.server.service.Findings.Compare(c.Context(), c.run, with, limit)
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, comparison)
}

// maxCompared is the number of findings of each list of a comparison, unless the client says another.
const maxCompared = 1000

// maxRechecks is the number of targets that one request checks again.
const maxRechecks = 100

func recheck(c *call) error {
	fields, err := c.members()
	if err != nil {
		return err
	}
	var url string
	var urls []string
	var faults []api.Fault
	for _, f := range fields {
		switch {
		case f.Name == "url":
			if strictjson.Decode(f.Value, &url) != nil || url == "" {
				faults = append(faults, api.Fault{Field: "url", Message: "use the URL of a target, as it is printed"})
			}
		case f.Name == "urls":
			if strictjson.Decode(f.Value, &urls) != nil || len(urls) == 0 || len(urls) > maxRechecks {
				faults = append(faults, api.Fault{Field: "urls", Message: "use a list of 1 to 100 URLs of targets, as they are printed"})
			}
		default:
			faults = append(faults, api.Fault{Field: f.Name, Message: "unknown member \"" + f.Name + "\""})
		}
	}
	if (url == "") == (urls == nil) && len(faults) == 0 {
		faults = append(faults, api.Fault{Field: "url", Message: "give either url or urls"})
	}
	if len(faults) > 0 {
		return api.Invalid(faults...)
	}
	if urls == nil {
		both, err := c.server.service.Findings.Recheck(c.Context(), c.run, url)
		if err != nil {
			return err
		}
		return c.json(http.StatusOK, both)
	}
	all, err := c.server.service.Findings.Rechecks(c.Context(), c.run, urls)
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, object{"items": all})
}

func listMarks(c *call) error {
	return part(c, func(after string, limit int) (*api.List[*api.Mark], error) {
		return c.server.service.Marks.List(c.Context(), c.project.ID, after, limit)
	})
}

func putMark(c *call) error {
	fields, err := c.members()
	if err != nil {
		return err
	}
	m, err := c.server.service.Marks.Put(c.Context(), c.project.ID, c.PathValue("fingerprint"), c.who.Name, fields, ifMatch(c.Header))
	if err != nil {
		return err
	}
	setVersion(c.w, m.Version)
	return c.json(http.StatusOK, m)
}

func deleteMark(c *call) error {
	if err := c.server.service.Marks.Delete(c.Context(), c.project.ID, c.PathValue("fingerprint"), ifMatch(c.Header)); err != nil {
		return err
	}
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}

func listIssues(c *call) error {
	q, owner, err := c.query().issues(c.who.Name)
	if err != nil {
		return err
	}
	list, err := c.server.service.Issues.List(c.Context(), c.run, q, owner)
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, list)
}

func showIssue(c *call) error {
	d, err := c.server.service.Issues.Get(c.Context(), c.run, c.PathValue("id"))
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, d)
}

// texts returns the values of members, of which all are strings with one of a few names and must be
// there. null is the empty string.
func texts(fields []strictjson.Member, names ...string) (map[string]string, error) {
	values := map[string]string{}
	var faults []api.Fault
	for _, f := range fields {
		var text string
		switch {
		case !slices.Contains(names, f.Name):
			faults = append(faults, api.Fault{Field: f.Name, Message: "unknown member \"" + f.Name + "\""})
		case strictjson.Decode(f.Value, &text) != nil:
			faults = append(faults, api.Fault{Field: f.Name, Message: "use a string"})
		}
		values[f.Name] = text
	}
	for _, name := range names {
		if _, ok := values[name]; !ok {
			faults = append(faults, api.Fault{Field: name, Message: "it is missing"})
		}
	}
	if len(faults) > 0 {
		return nil, api.Invalid(faults...)
	}
	return values, nil
}

func changeIssue(c *call) error {
	fields, err := c.members()
	if err != nil {
		return err
	}
	v, err := texts(fields, "owner")
	if err != nil {
		return err
	}
	issues, id := c.server.service.Issues, c.PathValue("id")
	if err := issues.Assign(c.Context(), c.project, v["owner"], id); err != nil {
		return err
	}
	i, err := issues.Last(c.Context(), c.project.ID, id)
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, i)
}

func listComments(c *call) error {
	return part(c, func(after string, limit int) (*api.List[*api.Comment], error) {
		all, err := c.server.service.Issues.Comments(c.Context(), c.project.ID, c.PathValue("id"))
		if err != nil {
			return nil, err
		}
		return service.Part(all, after, limit, func(m *api.Comment) string { return m.ID })
	})
}

func addComment(c *call) error {
	fields, err := c.members()
	if err != nil {
		return err
	}
	v, err := texts(fields, "text")
	if err != nil {
		return err
	}
	m, err := c.server.service.Issues.Comment(c.Context(), c.project.ID, c.PathValue("id"), c.who.Name, v["text"])
	if err != nil {
		return err
	}
	return c.json(http.StatusCreated, m)
}

func deleteComment(c *call) error {
	if err := c.server.service.Issues.DeleteComment(c.Context(), c.project.ID, c.PathValue("id"), c.PathValue("comment"), c.who); err != nil {
		return err
	}
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}

func listViews(c *call) error {
	return part(c, func(after string, limit int) (*api.List[*api.View], error) {
		all, err := c.server.service.Issues.Views(c.Context(), c.project.ID)
		if err != nil {
			return nil, err
		}
		return service.Part(all, after, limit, func(v *api.View) string { return v.ID })
	})
}

func addView(c *call) error {
	fields, err := c.members()
	if err != nil {
		return err
	}
	v, err := texts(fields, "name", "query")
	if err != nil {
		return err
	}
	view, err := c.server.service.Issues.AddView(c.Context(), c.project.ID, v["name"], v["query"], checkView)
	if err != nil {
		return err
	}
	return c.json(http.StatusCreated, view)
}

func deleteView(c *call) error {
	if err := c.server.service.Issues.DeleteView(c.Context(), c.project.ID, c.PathValue("id")); err != nil {
		return err
	}
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}

// putMarks marks many findings, or removes their marks.
func putMarks(c *call) error {
	fields, err := c.members()
	if err != nil {
		return err
	}
	b := &service.Bulk{}
	var faults []api.Fault
	var filter bool
	for _, f := range fields {
		switch f.Name {
		case "run":
			var id string
			if strictjson.Decode(f.Value, &id) != nil {
				faults = append(faults, api.Fault{Field: "run", Message: "use the id of a run of the project"})
				continue
			}
			b.Run, err = c.server.store.Run(c.Context(), id)
			if errors.Is(err, store.ErrNotFound) || err == nil && b.Run.Project != c.project.ID {
				faults = append(faults, api.Fault{Field: "run", Message: "the project has no such run"})
			} else if err != nil {
				return err
			}
		case "filter":
			filter = true
			faults = append(faults, readFilter(b, f.Value)...)
		case "fingerprints":
			if strictjson.Decode(f.Value, &b.Fingerprints) != nil || len(b.Fingerprints) == 0 || len(b.Fingerprints) > service.MaxBulk {
				faults = append(faults, api.Fault{Field: f.Name, Message: "use a list of 1 to 10000 fingerprints"})
			}
		case "remove":
			if strictjson.Decode(f.Value, &b.Remove) != nil || !b.Remove {
				faults = append(faults, api.Fault{Field: f.Name, Message: "use true, or leave it out"})
			}
		default:
			b.Mark = append(b.Mark, f)
		}
	}
	switch {
	case filter == (b.Fingerprints != nil) && len(faults) == 0:
		faults = append(faults, api.Fault{Field: "filter", Message: "give either filter or fingerprints"})
	case filter && b.Run == nil && len(faults) == 0:
		faults = append(faults, api.Fault{Field: "run", Message: "it is missing"})
	case b.Remove && len(b.Mark) > 0:
		faults = append(faults, api.Fault{Field: b.Mark[0].Name, Message: "remove takes marks away, so it goes without this"})
	}
	if len(faults) > 0 {
		return api.Invalid(faults...)
	}
	n, err := c.server.service.Marks.PutAll(c.Context(), c.project.ID, c.who.Name, b)
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, object{"changed": n})
}
