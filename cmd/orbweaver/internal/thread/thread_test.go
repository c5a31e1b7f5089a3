package thread

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A forge answers like the API of GitHub or GitLab for one project, and records requests.
type forge struct {
	*httptest.Server
	entries  []map[string]any
	requests []string
	token    string // the header that must come with each request
	refuse   int    // the status of requests that change something; 0 for none
}

func newForge(t *testing.T, token string) *forge {
	f := &forge{token: token}
	f.Server = httptest.NewServer(http.HandlerFunc(f.answer))
	t.Cleanup(f.Close)
	return f
}

func (f *forge) answer(w http.ResponseWriter, r *http.Request) {
	f.requests = append(f.requests, r.Method+" "+r.URL.Path)
	name, want, _ := strings.Cut(f.token, ": ")
	if r.Header.Get(name) != want {
		http.Error(w, `{"message": "Bad credentials"}`, http.StatusUnauthorized)
		return
	}
	if r.Method == http.MethodGet {
		page, _ := strconv.Atoi(r.FormValue("page"))
		from := min((page-1)*100, len(f.entries))
		json.NewEncoder(w).Encode(f.entries[from:min(from+100, len(f.entries))])
		return
	}
	if f.refuse != 0 {
		w.WriteHeader(f.refuse)
		io.WriteString(w, `{"message": "Resource not accessible by integration"}`)
		return
	}
	var fields map[string]any
	if err := json.NewDecoder(r.Body).Decode(&fields); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if r.Method == http.MethodPost {
		id := len(f.entries) + 1
		e := map[string]any{"id": id, "number": id, "iid": id, "state": "open", "user": map[string]string{"type": "Bot"}}
		for name, v := range fields {
			e[name] = v
		}
		f.entries = append(f.entries, e)
		w.WriteHeader(http.StatusCreated)
		return
	}
	id, _ := strconv.Atoi(r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:])
	for name, v := range fields {
		if name == "state_event" {
			name, v = "state", map[any]string{"close": "closed", "reopen": "opened"}[v]
		}
		f.entries[id-1][name] = v
	}
}

func isLocal(host string) bool { return host == "127.0.0.1" }

func report(rows string) Report {
	text := "## Link check: all ok\n"
	if rows != "" {
		text = "## Link check: 1 broken\n\n### Broken\n\n" + rows + "\n"
	}
	return Report{Title: "Broken links in public", Text: text, Broken: rows != ""}
}

// TestLife runs one job again and again: the thread is opened, edited and closed, and nothing
// is written if it would say the same.
func TestLife(t *testing.T) {
	for name, c := range map[string]struct {
		system, token, list, entry, edit, body string
		env                                    map[string]string
		closes                                 bool
	}{
		"issue at GitHub": {"github", "Authorization: Bearer t0k3n", "/api/repos/o/r/issues", "/api/repos/o/r/issues/1", "PATCH", "body",
			map[string]string{"GITHUB_REPOSITORY": "o/r", "GITHUB_REF": "refs/heads/main"}, true},
		"comment at GitHub": {"github", "Authorization: Bearer t0k3n", "/api/repos/o/r/issues/7/comments", "/api/repos/o/r/issues/comments/1", "PATCH", "body",
			map[string]string{"GITHUB_REPOSITORY": "o/r", "GITHUB_REF": "refs/pull/7/merge"}, false},
		"issue at GitLab": {"gitlab", "PRIVATE-TOKEN: t0k3n", "/api/projects/5/issues", "/api/projects/5/issues/1", "PUT", "description",
			map[string]string{"CI_PROJECT_ID": "5"}, true},
		"comment at GitLab": {"gitlab", "PRIVATE-TOKEN: t0k3n", "/api/projects/5/merge_requests/9/notes", "/api/projects/5/merge_requests/9/notes/1", "PUT", "body",
			map[string]string{"CI_PROJECT_ID": "5", "CI_MERGE_REQUEST_IID": "9"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			f := newForge(t, c.token)
			c.env["GITHUB_API_URL"], c.env["CI_API_V4_URL"] = f.URL+"/api/", f.URL+"/api"
			closed, reopened := Closed, Reopened
			if !c.closes {
				reopened = Edited
			}
			for i, step := range []struct {
				rows  string
				want  Done
				wrote string
			}{
				{"", Nothing, ""},
				{"| a | b |", Opened, "POST " + c.list},
				{"| a | b |", Nothing, ""},
				{"| a | c |", Edited, c.edit + " " + c.entry},
				{"", closed, c.edit + " " + c.entry},
				{"", Nothing, ""},
				{"| a | c |", reopened, c.edit + " " + c.entry},
			} {
				place, err := Open(c.system, "t0k3n", []string{"public"}, func(name string) string { return c.env[name] }, isLocal)
				if err != nil {
					t.Fatal(err)
				}
				f.requests = nil
				done, err := place.Update(t.Context(), report(step.rows))
				want := []string{"GET " + c.list}
				if step.wrote != "" {
					want = append(want, step.wrote)
				}
				if err != nil || done != step.want || !slices.Equal(f.requests, want) {
					t.Errorf("run %d: %s, %v, want %s; requests %v, want %v", i, done, err, step.want, f.requests, want)
				}
			}
			if len(f.entries) != 1 {
				t.Fatalf("there are %d entries, want 1", len(f.entries))
			}
			e := f.entries[0]
			if text := fmt.Sprint(e[c.body]); !strings.Contains(text, "| a | c |") || !strings.HasPrefix(text, "<!-- orbweaver ") {
				t.Errorf("the text is %s", text)
			}
			if c.closes == (e["title"] == nil) || c.closes && e["state"] == "closed" {
				t.Errorf("the entry is %v", e)
			}
		})
	}
}

var githubEnv = map[string]string{"GITHUB_REPOSITORY": "o/r", "GITHUB_WORKFLOW": "links"}

func openAt(t *testing.T, f *forge, targets ...string) *Place {
	t.Helper()
	place, err := Open("github", "t0k3n", targets, func(name string) string {
		if name == "GITHUB_API_URL" {
			return f.URL
		}
		return githubEnv[name]
	}, isLocal)
	if err != nil {
		t.Fatal(err)
	}
	return place
}

// TestOnlyOurs: entries of strangers, of pull requests and of other jobs are left alone, and one
// beyond the first page is found.
func TestOnlyOurs(t *testing.T) {
	f := newForge(t, "Authorization: Bearer t0k3n")
	place := openAt(t, f, "public")
	body := place.text(report("| a |"))
	f.entries = append(f.entries,
		map[string]any{"number": 1, "body": body, "user": map[string]any{"type": "User"}, "author_association": "NONE"},
		map[string]any{"number": 2, "body": body, "user": map[string]any{"type": "Bot"}, "pull_request": map[string]any{}},
		map[string]any{"number": 3, "body": "> " + body, "user": map[string]any{"type": "Bot"}},
		map[string]any{"number": 4, "body": openAt(t, f, "docs").text(report("| a |")), "user": map[string]any{"type": "Bot"}},
	)
	for len(f.entries) < 130 {
		f.entries = append(f.entries, map[string]any{"number": len(f.entries) + 1})
	}
	f.entries = append(f.entries, map[string]any{"number": 131, "body": body, "state": "open", "user": map[string]any{"type": "User"}, "author_association": "MEMBER"})
	done, err := place.Update(t.Context(), report("| b |"))
	if err != nil || done != Edited || f.requests[len(f.requests)-1] != "PATCH /repos/o/r/issues/131" || len(f.requests) != 3 {
		t.Errorf("%s, %v, requests %v", done, err, f.requests)
	}
}

// TestRefused: what the API refuses is an error with its words, without the token.
func TestRefused(t *testing.T) {
	f := newForge(t, "Authorization: Bearer t0k3n")
	f.refuse = http.StatusForbidden
	_, err := openAt(t, f).Update(t.Context(), report("| a |"))
	want := "open the issue: POST /repos/o/r/issues answered 403 Forbidden: Resource not accessible by integration: the job needs the permission issues: write"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	f.token = "Authorization: Bearer other"
	if _, err = openAt(t, f).Update(t.Context(), report("| a |")); err == nil || !strings.Contains(err.Error(), "Bad credentials") || strings.Contains(err.Error(), "t0k3n") {
		t.Errorf("got %v", err)
	}
}

// TestTokenStays: the token goes to the API alone. A redirect is not followed.
func TestTokenStays(t *testing.T) {
	asked := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer other.Close()
	moved := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	defer moved.Close()
	place := openAt(t, &forge{Server: moved}, "public")
	if _, err := place.Update(t.Context(), report("| a |")); err == nil || !strings.Contains(err.Error(), "307") || asked {
		t.Errorf("got %v, the other host was asked: %t", err, asked)
	}
}

func TestOpenRefuses(t *testing.T) {
	for _, c := range []struct {
		system, token, want string
		env                 map[string]string
	}{
		{"none", "x", "use --ci github or --ci gitlab", nil},
		{"github", "x", "does not name a repository", nil},
		{"github", "x", "does not name a repository", map[string]string{"GITHUB_REPOSITORY": "o/r/../../user"}},
		{"github", "x", "in clear text", map[string]string{"GITHUB_REPOSITORY": "o/r", "GITHUB_API_URL": "http://api.example"}},
		{"github", "x", "not valid", map[string]string{"GITHUB_REPOSITORY": "o/r", "GITHUB_API_URL": "ftp://api.example"}},
		{"github", "x", "not valid", map[string]string{"GITHUB_REPOSITORY": "o/r", "GITHUB_API_URL": "https://a:b@api.example"}},
		{"github", "a\nb", "no token has", map[string]string{"GITHUB_REPOSITORY": "o/r"}},
		{"gitlab", "x", "does not name a project", map[string]string{"CI_PROJECT_ID": "5/../6"}},
		{"gitlab", "x", "not valid", map[string]string{"CI_PROJECT_ID": "5"}},
	} {
		_, err := Open(c.system, c.token, nil, func(name string) string { return c.env[name] }, isLocal)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Open(%s, %v): %v, want %q", c.system, c.env, err, c.want)
		}
	}
}

func TestTextIsLimited(t *testing.T) {
	place := openAt(t, &forge{Server: &httptest.Server{URL: "https://api.example"}}, "public")
	place.run = (&url.URL{Scheme: "https", Host: "ci.example", Path: "/run"}).String()
	text := place.text(report(strings.Repeat("| ä |\n", 20_000)))
	if n := len([]rune(text)); n > maxText || !strings.HasSuffix(text, "too long for this text.\n") {
		t.Errorf("the text has %d characters, and ends with %q", n, text[len(text)-40:])
	}
	if text = place.text(report("| a |")); !strings.HasSuffix(text, "\n\n[This run](https://ci.example/run)\n") {
		t.Errorf("the text does not lead to the run: %s", text)
	}
	if title := place.fields(strings.Repeat("x", 500), "", "")["title"]; len([]rune(title)) != maxTitle {
		t.Errorf("the title has %d characters, want %d", len([]rune(title)), maxTitle)
	}
}
