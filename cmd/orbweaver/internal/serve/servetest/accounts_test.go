package servetest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// signIn returns the cookie of a new session.
func (s *server) signIn(name, password string) func(*http.Request) {
	s.t.Helper()
	return withCookie(cookieOf(s.t, wants(s.t, "sign-in", s.post("login", url.Values{"name": {name}, "password": {password}}, header("User-Agent", "browser of "+name)), 303)))
}

// as sends a request with JSON to the API in a session, and returns the decoded answer.
func (s *server) as(session func(*http.Request), method, path string, body any, status int) object {
	s.t.Helper()
	var in any
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			s.t.Fatal(err)
		}
		in = string(text)
	}
	a := wants(s.t, method+" "+path, s.send(method, "api/v1/"+path, in, session), status)
	var o object
	_ = json.Unmarshal(a.body, &o) // 204 has none
	return o
}

// people starts a server with an administrator, an editor and a viewer.
func people(t *testing.T) (s *server, data string) {
	t.Helper()
	data = filepath.Join(t.TempDir(), "data")
	for _, role := range []string{"admin", "editor", "viewer"} {
		manage(t, data, 0, "user", "add", role, "--role", role, "--password-file", passwordFile(t, "correct horse"))
	}
	return start(t, data), data
}

func TestProfile(t *testing.T) {
	s, _ := people(t)
	mine, other := s.signIn("viewer", "correct horse"), s.signIn("viewer", "correct horse")
	if me := s.as(mine, "GET", "me", nil, 200); fmt.Sprint(me) != "map[digest:none email: name:viewer role:viewer time_zone: via:password]" {
		t.Errorf("me is %v", me)
	}
	me := s.as(mine, "PATCH", "me", object{"email": "v@example.com", "time_zone": "Europe/Berlin", "digest": "weekly"}, 200)
	if me["email"] != "v@example.com" || me["time_zone"] != "Europe/Berlin" || me["digest"] != "weekly" {
		t.Errorf("me is %v", me)
	}
	for field, value := range map[string]any{"email": "v@example.com\r\nBcc: x@example.com", "time_zone": "../x", "digest": "daily", "role": "admin", "name": 1} {
		p := s.as(mine, "PATCH", "me", object{field: value}, 422)
		if !strings.Contains(fmt.Sprint(p["errors"]), "field:"+field) {
			t.Errorf("%s: %v", field, p)
		}
	}
	s.as(mine, "PATCH", "me", object{"time_zone": "Local"}, 422)
	// Sessions.
	list := s.as(mine, "GET", "me/sessions", nil, 200)["items"].([]any)
	if len(list) != 2 {
		t.Fatalf("the sessions are %v", list)
	}
	for _, one := range list {
		one := one.(object)
		if one["agent"] != "browser of viewer" || one["address"] != "127.0.0.1" {
			t.Errorf("a session is %v", one)
		}
		if one["current"] == false {
			admin := s.signIn("admin", "correct horse")
			s.as(admin, "DELETE", fmt.Sprint("me/sessions/", one["id"]), nil, 404) // of somebody else
			s.as(mine, "DELETE", fmt.Sprint("me/sessions/", one["id"]), nil, 204)
		}
	}
	s.as(other, "GET", "me", nil, 401)
	other = s.signIn("viewer", "correct horse")
	s.as(mine, "DELETE", "me/sessions", nil, 204)
	s.as(other, "GET", "me", nil, 401)
	// The password.
	other = s.signIn("viewer", "correct horse")
	s.as(mine, "PUT", "me/password", object{"current": "wrong horse", "new": "battery staple"}, 403)
	if p := s.as(mine, "PUT", "me/password", object{"current": "correct horse", "new": "short"}, 422); !strings.Contains(fmt.Sprint(p["errors"]), "field:new") {
		t.Errorf("a short password: %v", p)
	}
	s.as(mine, "PUT", "me/password", object{"current": "correct horse", "new": "battery staple"}, 204)
	s.as(other, "GET", "me", nil, 401)
	s.as(mine, "GET", "me", nil, 200)
	wants(t, "the old password", s.post("login", url.Values{"name": {"viewer"}, "password": {"correct horse"}}), 401)
	for range 3 {
		s.as(mine, "PUT", "me/password", object{"current": "wrong horse", "new": "correct horse"}, 403)
	}
	a := wants(t, "after five wrong ones", s.send("PUT", "api/v1/me/password", object{"current": "battery staple", "new": "correct horse"}, mine), 429)
	if a.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	// The page does the same.
	page := string(wants(t, "page", s.send("GET", "profile", nil, mine), 200).body)
	if !strings.Contains(page, `value="Europe/Berlin"`) || !strings.Contains(page, "browser of viewer") {
		t.Error("the page lacks the profile")
	}
	if !regexp.MustCompile(`<time datetime="[0-9T:-]+Z" title="[^"]+ CES?T">just now</time>`).MatchString(page) || !strings.Contains(page, "times in Europe/Berlin") {
		t.Errorf("the times are not those of the person: %s", page)
	}
	wants(t, "form", s.post("profile", url.Values{"do": {"save"}, "email": {""}, "time_zone": {"UTC"}, "digest": {"none"}}, mine), 303)
	wants(t, "form", s.post("profile", url.Values{"do": {"save"}, "time_zone": {"x"}}, mine), 422)
	if me := s.as(mine, "GET", "me", nil, 200); me["email"] != "" || me["time_zone"] != "UTC" {
		t.Errorf("me is %v", me)
	}
	wants(t, "form", s.post("profile", url.Values{"do": {"end-sessions"}}, mine), 303)
}

func TestUsersAndTokens(t *testing.T) {
	s, data := people(t)
	admin := s.signIn("admin", "correct horse")
	for _, who := range []string{"viewer", "editor"} {
		session := s.signIn(who, "correct horse")
		for _, path := range []string{"users", "tokens"} {
			s.as(session, "GET", path, nil, 403)
		}
	}
	u := s.as(admin, "POST", "users", object{"name": "ada", "password": "correct horse", "role": "editor", "email": "ada@example.com"}, 201)
	if u["name"] != "ada" || u["role"] != "editor" || u["email"] != "ada@example.com" || u["password"] != nil {
		t.Errorf("the user is %v", u)
	}
	for field, body := range map[string]object{"name": {"name": "ada", "password": "correct horse"}, "password": {"name": "bob", "password": "short"}, "role": {"name": "bob", "password": "correct horse", "role": "king"}, "email": {"name": "bob", "password": "correct horse", "email": "x"}} {
		if p := s.as(admin, "POST", "users", body, 422); !strings.Contains(fmt.Sprint(p["errors"]), "field:"+field) {
			t.Errorf("%v: %v", body, p)
		}
	}
	ada := s.signIn("ada", "correct horse")
	s.as(admin, "PATCH", "users/ada", object{"role": "viewer"}, 200)
	if me := s.as(ada, "GET", "me", nil, 200); me["role"] != "viewer" {
		t.Errorf("the role is %v", me["role"])
	}
	s.as(admin, "PATCH", "users/ada", object{"password": "battery staple"}, 200)
	s.as(ada, "GET", "me", nil, 401)
	s.as(admin, "PATCH", "users/admin", object{"role": "editor"}, 409)
	s.as(admin, "DELETE", "users/admin", nil, 409)
	s.as(admin, "DELETE", "users/nobody", nil, 404)
	first := s.as(admin, "GET", "users?limit=3", nil, 200)
	if rest := s.as(admin, "GET", fmt.Sprint("users?after=", first["next"]), nil, 200); len(first["items"].([]any)) != 3 || len(rest["items"].([]any)) != 1 || rest["total"] != 4.0 {
		t.Errorf("the users are %v and %v", first, rest)
	}
	// A form removes nobody without being sure.
	page := string(wants(t, "not sure", s.post("settings", url.Values{"do": {"remove-user"}, "name": {"ada"}}, admin), 200).body)
	if !strings.Contains(page, "ada") || !strings.Contains(page, `name="sure"`) {
		t.Error("the page does not ask")
	}
	wants(t, "change", s.post("settings", url.Values{"do": {"change-user"}, "name": {"ada"}, "role": {"editor"}, "email": {""}}, admin), 303)
	wants(t, "the last administrator", s.post("settings", url.Values{"do": {"change-user"}, "name": {"admin"}, "role": {"editor"}}, admin), 422)
	if u := s.as(admin, "PATCH", "users/ada", object{}, 200); u["role"] != "editor" || u["email"] != "" {
		t.Errorf("after a form: %v", u)
	}
	wants(t, "sure", s.post("settings", url.Values{"do": {"remove-user"}, "name": {"ada"}, "sure": {"yes"}}, admin), 303)
	s.as(admin, "DELETE", "users/ada", nil, 404)
	// Tokens.
	made := s.as(admin, "POST", "tokens", object{"name": "ci", "role": "editor", "expires": "90d"}, 201)
	bearer := header("Authorization", fmt.Sprint("Bearer ", made["token"]))
	if me := s.as(bearer, "GET", "me", nil, 200); me["via"] != "token" || me["role"] != "editor" {
		t.Errorf("a token is %v", me)
	}
	s.as(bearer, "PUT", "me/password", object{"current": "correct horse", "new": "correct horse"}, 409)
	s.as(bearer, "PATCH", "me", object{"email": "x@example.com"}, 409)
	for _, one := range s.as(admin, "GET", "tokens", nil, 200)["items"].([]any) {
		if one := one.(object); one["token"] != nil || one["expires"] == nil {
			t.Errorf("a token is listed as %v", one)
		}
	}
	s.as(admin, "POST", "tokens", object{"name": "ci"}, 422)
	s.as(admin, "POST", "tokens", object{"name": "other", "project": "x"}, 422)
	s.as(admin, "DELETE", "tokens/ci", nil, 204)
	s.as(bearer, "GET", "me", nil, 401)
	s.as(admin, "DELETE", "tokens/ci", nil, 404)
	// Commands.
	manage(t, data, 0, "user", "role", "viewer", "editor")
	manage(t, data, 2, "user", "role", "viewer", "king")
	manage(t, data, 2, "user", "role", "nobody", "viewer")
	manage(t, data, 2, "user", "role", "admin", "viewer")
	manage(t, data, 0, "user", "passwd", "viewer", "--password-file", passwordFile(t, "battery staple"))
	manage(t, data, 2, "user", "passwd", "viewer", "--password-file", passwordFile(t, "short"))
	if me := s.as(s.signIn("viewer", "battery staple"), "GET", "me", nil, 200); me["role"] != "editor" {
		t.Errorf("after the commands: %v", me)
	}
}

// A project with access does not exist for others, and gives its own roles.
func TestAccess(t *testing.T) {
	s, data := people(t)
	site := smallSite(t)
	admin, editor, viewer := s.signIn("admin", "correct horse"), s.signIn("editor", "correct horse"), s.signIn("viewer", "correct horse")
	add := func(body object) string {
		body["targets"] = []string{site.URL + "/"}
		return s.as(admin, "POST", "projects", body, 201)["id"].(string)
	}
	hidden, public := add(object{"name": "hidden", "access": object{"viewer": "editor"}}), add(object{"name": "public"})
	for field, access := range map[string]object{"access.nobody": {"nobody": "viewer"}, "access.viewer": {"viewer": "admin"}, "access.token:x": {"token:x": "viewer"}} {
		if p := s.as(admin, "PATCH", "projects/"+hidden, object{"access": access}, 422); !strings.Contains(fmt.Sprint(p["errors"]), "field:"+field) {
			t.Errorf("%v: %v", access, p)
		}
	}
	run := s.as(viewer, "POST", "projects/"+hidden+"/runs", nil, 202)["id"].(string)
	s.as(viewer, "POST", "projects/"+public+"/runs", nil, 403)
	s.as(viewer, "PATCH", "projects/"+hidden, object{"name": "x"}, 403)
	s.token = token(t, data, "boss", "admin")
	s.until(run, "done")
	s.token = ""
	for _, path := range []string{"projects/" + hidden, "projects/" + hidden + "/runs", "projects/" + hidden + "/marks", "runs/" + run, "runs/" + run + "/findings", "runs/" + run + "/events", "projects/" + hidden + "/badge.svg"} {
		s.as(editor, "GET", path, nil, 404)
		if a := s.send("GET", "api/v1/"+path, nil, viewer); a.status != 200 && a.status != 204 {
			t.Errorf("%s for those who are named: %d", path, a.status)
		}
	}
	s.as(editor, "POST", "projects/"+hidden+"/runs", nil, 404)
	for who, want := range map[string]float64{"admin": 2, "editor": 1, "viewer": 2} {
		session := map[string]func(*http.Request){"admin": admin, "editor": editor, "viewer": viewer}[who]
		if list := s.as(session, "GET", "projects", nil, 200); list["total"] != want {
			t.Errorf("%s sees %v projects", who, list["total"])
		}
		for _, path := range []string{"", "projects/" + hidden, "runs/" + run} {
			a := s.send("GET", path, nil, session)
			if sees := a.status == 200 && strings.Contains(string(a.body), "hidden</bdi>") || a.status == 200 && path != ""; sees != (want == 2) {
				t.Errorf("%s sees %q: %v", who, path, sees)
			}
		}
	}
	// Tokens.
	scoped := s.as(admin, "POST", "tokens", object{"name": "one", "role": "admin", "project": public}, 201)
	one := header("Authorization", fmt.Sprint("Bearer ", scoped["token"]))
	s.as(one, "PATCH", "projects/"+public, object{"name": "changed"}, 200)
	s.as(one, "GET", "projects/"+hidden, nil, 404)
	s.as(one, "PATCH", "projects/"+hidden, object{"name": "changed"}, 404)
	s.as(one, "GET", "users", nil, 403)
	s.as(one, "POST", "projects", object{"name": "x", "targets": []string{site.URL}}, 403)
	if list := s.as(one, "GET", "projects", nil, 200); list["total"] != 1.0 {
		t.Errorf("a token of one project sees %v", list["total"])
	}
	reader := s.as(admin, "POST", "tokens", object{"name": "reader"}, 201)
	read := header("Authorization", fmt.Sprint("Bearer ", reader["token"]))
	s.as(read, "GET", "projects/"+hidden, nil, 404)
	s.as(admin, "PATCH", "projects/"+hidden, object{"access": object{"token:reader": "viewer"}}, 200)
	s.as(read, "GET", "projects/"+hidden, nil, 200)
	s.as(viewer, "GET", "projects/"+hidden, nil, 404)
	// A name that is taken again gets nothing of the one before.
	s.as(admin, "DELETE", "tokens/reader", nil, 204)
	if p := s.as(admin, "GET", "projects/"+hidden, nil, 200); fmt.Sprint(p["access"]) != "map[]" {
		t.Errorf("the access is %v", p["access"])
	}
	s.as(admin, "PATCH", "projects/"+hidden, object{"access": nil}, 200)
	s.as(editor, "GET", "projects/"+hidden, nil, 200)
}

// A comparison with a run of a hidden project answers as one with a run that does not exist.
func TestCompareWithHiddenRun(t *testing.T) {
	s, data := people(t)
	site := smallSite(t)
	admin, viewer := s.signIn("admin", "correct horse"), s.signIn("viewer", "correct horse")
	s.token = token(t, data, "boss", "admin")
	public := s.create(object{"targets": []string{site.URL + "/"}})
	run, other := s.checked(public), s.checked(s.create(object{"targets": []string{site.URL + "/"}, "access": object{}}))
	s.token = ""
	for with, status := range map[string]int{other: 404, "0000000000000000": 404, run: 200} {
		for _, path := range []string{"api/v1/runs/" + run + "/compare?with=", "api/v1/runs/" + run + "/compare?list=new&with=", "runs/" + run + "/compare?with="} {
			a := wants(t, path+with, s.send("GET", path+with, nil, viewer), status)
			if status == 404 && !strings.Contains(string(a.body), "there is no run "+with) {
				t.Errorf("%s: %s", path+with, a.body)
			}
		}
	}
	s.as(admin, "GET", "runs/"+run+"/compare?with="+other, nil, 422)
}

// The token of a channel is a secret like its address, and goes to the host for which it was given.
func TestChannelSecrets(t *testing.T) {
	data := t.TempDir()
	var got []string
	sink := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r.URL.Path+" "+r.Header.Get("X-Gotify-Key"))
	}))
	defer sink.Close()
	s := open(t, data)
	id := s.create(object{"targets": []string{"https://example.com/"}, "notify": []object{
		{"type": "gotify", "url": sink.URL + "/hush-path", "token": "hush-token"}, {"type": "telegram", "chat": "-1", "token": "hush-bot"}}})
	var p struct{ Notify []object }
	s.call("GET", "projects/"+id, nil, 200, &p)
	if text := fmt.Sprint(p.Notify); strings.Contains(text, "hush") || p.Notify[0]["token"] != "***" || p.Notify[0]["url"] != sink.URL+"/***" || p.Notify[1]["token"] != "***" {
		t.Errorf("the answer is %v", p.Notify)
	}
	if a := s.send("GET", "projects/"+id+"/settings", nil); strings.Contains(string(a.body), "hush") {
		t.Error("the settings have a secret")
	}
	s.call("PATCH", "projects/"+id, object{"notify": p.Notify}, 200, nil)
	s.call("POST", "projects/"+id+"/notify/0/test", nil, 200, nil)
	if len(got) != 1 || got[0] != "/hush-path/message hush-token" {
		t.Errorf("the service got %v", got)
	}
	for field, one := range map[string]object{"notify.0.url": {"type": "gotify", "url": "https://other.invalid/", "token": "***"}, "notify.0.token": {"type": "ntfy", "url": "https://other.invalid/", "topic": "x", "token": "***"}, "notify.0.topic": {"type": "ntfy", "url": "https://other.invalid/"}, "notify.0.room": {"type": "gotify", "url": "https://other.invalid/", "token": "x", "room": "y"}} {
		var faults problem
		s.call("PATCH", "projects/"+id, object{"notify": []object{one}}, 422, &faults)
		if field != "notify.0.token" && faults.Errors[0].Field != field {
			t.Errorf("%v: %+v", one, faults.Errors)
		}
	}
	if found := leaks(t, data, []string{"hush-"}); len(found) > 0 {
		t.Errorf("files with secrets in clear: %v", found)
	}
}
