package servetest

import (
	"net/url"
	"strings"
	"testing"
)

func TestStatusPages(t *testing.T) {
	web := newSite(t, map[string]string{"/": `<a href="gone">x</a><a href="gone2">x</a>`, "/ok": `<a href="/ok">x</a>`})
	s := open(t, t.TempDir())
	docs := s.create(object{"name": "Docs <b>", "targets": []string{web.URL}, "options": object{"retries": 0}, "tags": []string{"team"}})
	fine := s.create(object{"name": "Fine", "targets": []string{web.URL + "/ok"}, "tags": []string{"team"}})
	dead := s.create(object{"name": "Dead", "targets": []string{web.URL + "/missing"}, "options": object{"retries": 0}})
	never := s.create(object{"name": "Never", "targets": []string{"https://example.com/"}})
	for _, project := range []string{docs, fine, dead} {
		s.checked(project)
	}
	for field, body := range map[string]object{
		"title": {"tag": "team"}, "projects": {"title": "x"}, "tag": {"title": "x", "tag": "a b"}, "expires": {"title": "x", "tag": "team", "expires": "soon"}, "color": {"title": "x", "tag": "team", "color": "red"},
	} {
		if a := s.send("POST", "api/v1/status-pages", body); a.status != 422 || !strings.Contains(string(a.body), `"field":"`+field+`"`) {
			t.Errorf("%v: status %d, %s", body, a.status, a.body)
		}
	}
	s.call("POST", "status-pages", object{"title": "x", "projects": []string{docs, "unknown"}}, 422, nil)
	s.call("POST", "status-pages", object{"title": "x", "projects": []string{docs}, "tag": "team"}, 422, nil)
	var page struct{ ID, Token, URL string }
	s.call("POST", "status-pages", object{"title": "All sites", "projects": []string{docs, dead, never}, "expires": "90d"}, 201, &page)
	if page.URL != s.base+"status/"+page.Token {
		t.Errorf("the page is %+v", page)
	}
	rows := func(token string) (texts []string, all string) {
		t.Helper()
		a := s.send("GET", "status/"+token, nil, header("Accept", "text/html"))
		all = string(a.body)
		if a.status != 200 {
			t.Fatalf("status %d: %s", a.status, all)
		}
		for _, row := range strings.Split(all, `<tr role="row">`)[2:] {
			row, _, _ = strings.Cut(row, "</tr>")
			var words []string
			for _, piece := range strings.Split(row, "<") {
				if _, text, _ := strings.Cut(piece, ">"); strings.TrimSpace(text) != "" {
					words = append(words, strings.TrimSpace(text))
				}
			}
			texts = append(texts, strings.Join(words, "|"))
		}
		return texts, all
	}
	texts, all := rows(page.Token)
	for i, want := range []string{"Dead|not reliable|a start page could not be read|–|–|", "Docs &lt;b&gt;|broken|2|2|", "Never|not checked yet|–|–|–"} {
		if len(texts) != 3 || !strings.HasPrefix(texts[i], want) {
			t.Errorf("row %d of %q, want %q", i, texts, want)
		}
	}
	if !strings.Contains(all, "times in ") {
		t.Error("the page does not name the zone of its times")
	}
	for _, hidden := range []string{web.URL, "gone", docs, "Fine", "http-404"} {
		if strings.Contains(all, hidden) {
			t.Errorf("the page shows %q", hidden)
		}
	}
	var tagged struct{ ID, Token string }
	s.call("POST", "status-pages", object{"title": "Team", "tag": "TEAM"}, 201, &tagged)
	if texts, _ := rows(tagged.Token); len(texts) != 2 || !strings.HasPrefix(texts[1], "Fine|ok|0|0|") {
		t.Errorf("the projects with the tag: %q", texts)
	}
	s.call("DELETE", "projects/"+docs, nil, 204, nil)
	if texts, _ := rows(page.Token); len(texts) != 2 {
		t.Errorf("after a project was removed: %q", texts)
	}
	if list := s.items("status-pages"); len(list) != 2 || list[0]["title"] != "All sites" || list[0]["token"] != nil || list[1]["tag"] != "team" {
		t.Errorf("the list is %v", list)
	}
	// The forms.
	if a := s.post("settings", url.Values{"do": {"add-status"}, "title": {""}, "tag": {"team"}}); a.status != 422 {
		t.Errorf("without a title: status %d", a.status)
	}
	if a := s.post("settings", url.Values{"do": {"add-status"}, "title": {"By form"}, "projects": {fine, dead}}); a.status != 303 {
		t.Errorf("status %d: %s", a.status, a.body)
	}
	shown := string(s.send("GET", "settings", nil).body)
	if !strings.Contains(shown, s.base+"status/") || !strings.Contains(shown, "By form") {
		t.Error("the settings do not show the new page")
	}
	ask := s.post("settings", url.Values{"do": {"remove-status"}, "id": {tagged.ID}})
	if ask.status != 200 || !strings.Contains(string(ask.body), "Team") || len(s.items("status-pages")) != 3 {
		t.Errorf("a page was removed without a question: status %d", ask.status)
	}
	s.post("settings", url.Values{"do": {"remove-status"}, "id": {tagged.ID}, "sure": {"yes"}})
	if log := s.log.String(); strings.Contains(log, page.Token) || strings.Contains(log, tagged.Token) || !strings.Contains(log, " GET /status/… 200 ") {
		t.Errorf("the log has the address of a status page:\n%s", log)
	}
	s.call("DELETE", "status-pages/"+page.ID, nil, 204, nil)
	s.call("DELETE", "status-pages/"+page.ID, nil, 404, nil)
	for _, token := range []string{page.Token, tagged.Token, "x"} {
		if a := s.send("GET", "status/"+token, nil); a.status != 404 {
			t.Errorf("a removed page: status %d", a.status)
		}
	}
}

func TestStatusPagesAreForAdministrators(t *testing.T) {
	s, _ := people(t)
	editor := s.signIn("editor", "correct horse")
	s.as(editor, "GET", "status-pages", nil, 403)
	s.as(editor, "POST", "status-pages", object{"title": "x", "tag": "t"}, 403)
	s.as(editor, "DELETE", "status-pages/x", nil, 403)
}
