package thread

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/lazy"
)

// Place is where a thread is: the issues of a project, or the comments on a pull request.
type Place struct {
	what   string // "issue" or "comment", for messages
	api    string // the URL of the API, without a final slash
	list   string // the path of the list, to which new entries are posted
	query  string // of the list: most recently changed first, if the API can
	edit   string // the method that edits an entry
	entry  func(*entry) string
	body   string // the field for the text
	closes bool   // entries can be closed
	state  string // the field for the state, and its values
	close  string
	reopen string
	needs  string // what the token needs
	run    string // the URL of the run; "" if it is not known

	key    string
	header map[string]string
	http   *http.Client
}

const requestTimeout = 30 * time.Second

// Open returns the place for a run in a CI system, "github" or "gitlab", by the variables that
// it sets. Runs of the same job with the same targets have the same thread. Nothing is sent.
func Open(system, token string, targets []string, env func(string) string, isLoopback func(host string) bool) (*Place, error) {
	open := map[string]func(func(string) string) (*Place, error){"github": github, "gitlab": gitlab}[system]
	if open == nil {
		return nil, errors.New("this is not a CI system that is known: use --ci github or --ci gitlab")
	}
	if strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return nil, errors.New("the token has characters that no token has")
	}
	p, err := open(env)
	if err != nil {
		return nil, err
	}
	u, err := url.Parse(p.api)
	switch {
	case err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("the URL of its API is not valid")
	case u.Scheme == "http" && !isLoopback(u.Hostname()):
		return nil, fmt.Errorf("%s: the token would be sent in clear text", u.Redacted())
	}
	p.api = strings.TrimRight(u.String(), "/")
	job := append([]string{env("GITHUB_WORKFLOW"), env("GITHUB_JOB"), env("CI_JOB_NAME")}, targets...)
	p.key = fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(job, "\x00"))))[:16]
	if system == "github" {
		p.header["Authorization"] = "Bearer " + token
	} else {
		p.header["PRIVATE-TOKEN"] = token
	}
	p.header["User-Agent"] = "orbweaver"
	p.http = &http.Client{Timeout: requestTimeout, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse // the token is for this server
	}}
	return p, nil
}

var (
	repository  = lazy.Regexp(`^[\w.-]+/[\w.-]+$`)
	pullRequest = lazy.Regexp(`^refs/pull/(\d+)/`)
	number      = lazy.Regexp(`^\d+$`)
)

// github returns the comments of the pull request that a run is about, or the issues of its
// repository.
func github(env func(string) string) (*Place, error) {
	name := env("GITHUB_REPOSITORY")
	if !repository().MatchString(name) {
		return nil, errors.New("GITHUB_REPOSITORY does not name a repository")
	}
	p := &Place{
		what: "issue", api: env("GITHUB_API_URL"), list: "/repos/" + name + "/issues", query: "state=all&sort=updated&direction=desc", edit: http.MethodPatch, body: "body",
		closes: true, state: "state", close: "closed", reopen: "open", needs: "the job needs the permission issues: write",
		header: map[string]string{"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"},
	}
	p.entry = func(e *entry) string { return fmt.Sprintf("/repos/%s/issues/%d", name, e.Number) }
	if p.api == "" {
		p.api = "https://api.github.com"
	}
	if server, run := env("GITHUB_SERVER_URL"), env("GITHUB_RUN_ID"); isWeb(server) && number().MatchString(run) {
		p.run = server + "/" + name + "/actions/runs/" + run
	}
	if m := pullRequest().FindStringSubmatch(env("GITHUB_REF")); m != nil {
		p.what, p.closes, p.needs = "comment", false, "the job needs the permission pull-requests: write, which a pull request of a fork never has"
		p.list, p.query = p.list+"/"+m[1]+"/comments", "sort=created"
		p.entry = func(e *entry) string { return fmt.Sprintf("/repos/%s/issues/comments/%d", name, e.ID) }
	}
	return p, nil
}

// gitlab returns the comments of the merge request that a pipeline is about, or the issues of
// its project that the owner of the token has opened.
func gitlab(env func(string) string) (*Place, error) {
	project := env("CI_PROJECT_ID")
	if !number().MatchString(project) {
		return nil, errors.New("CI_PROJECT_ID does not name a project")
	}
	p := &Place{
		what: "issue", api: env("CI_API_V4_URL"), list: "/projects/" + project + "/issues", query: "scope=created_by_me&state=all&order_by=updated_at&sort=desc", edit: http.MethodPut,
		body: "description", closes: true, state: "state_event", close: "close", reopen: "reopen", needs: "the token needs the scope api and the role Reporter", header: map[string]string{},
	}
	p.entry = func(e *entry) string { return fmt.Sprintf("%s/%d", p.list, e.IID) }
	if job := env("CI_JOB_URL"); isWeb(job) {
		p.run = job
	}
	if iid := env("CI_MERGE_REQUEST_IID"); number().MatchString(iid) {
		p.what, p.body, p.closes = "comment", "body", false
		p.list, p.query = "/projects/"+project+"/merge_requests/"+iid+"/notes", "order_by=updated_at&sort=desc"
		p.entry = func(e *entry) string { return fmt.Sprintf("%s/%d", p.list, e.ID) }
	}
	return p, nil
}

// isWeb reports whether a URL can be written into Markdown as it is.
func isWeb(u string) bool { return webURL().MatchString(u) }

var webURL = lazy.Regexp(`^https?://[\w.:/%~-]+$`)

// fields returns what is sent for an entry. Fields without a value keep what they have.
func (p *Place) fields(title, text, state string) map[string]string {
	fields := map[string]string{p.body: text}
	if title != "" && p.closes {
		if utf8.RuneCountInString(title) > maxTitle {
			title = string([]rune(title)[:maxTitle-1]) + "…"
		}
		fields["title"] = title
	}
	if state != "" {
		fields[p.state] = state
	}
	return fields
}
