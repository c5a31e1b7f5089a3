package servetest

import (
	"net/url"
	"strings"
	"testing"
)

// What acts instead of being visible in the text of a site is escaped wherever people read it.
func TestTextsOfSitesAreVisible(t *testing.T) {
	const acting = "\u202egpj.\u2066\u061c\u200e\u200f"
	web := newSite(t, map[string]string{
		"/":           "<title>start</title><a href=\"dir/page\">one" + acting + "</a> <a href=\"other/page\">x</a><a href=\"http://[" + acting + "/\">y</a>",
		"/dir/page":   "<title>a" + acting + "</title><a href=\"../gone\">two" + acting + "</a>",
		"/other/page": "<title>b" + acting + "</title>",
	})
	slack := newSink(t, "")
	s := open(t, t.TempDir())
	project := s.create(object{"targets": []string{web.URL}, "options": object{"retries": 0}, "notify": []object{{"type": "slack", "url": slack.URL}}})
	run := s.checked(project)
	var paths []string
	for _, path := range []string{"", "/findings", "/findings?by=page", "/findings?verdict=ok", "/pages", "/map", "/compare", "/pages/view?url=" + url.QueryEscape(web.URL+"/dir/page") + "&show=all",
		"/pages/view?url=" + url.QueryEscape(web.URL+"/") + "&show=all"} {
		paths = append(paths, "runs/"+run+path)
	}
	for _, f := range s.items("runs/" + run + "/findings") {
		paths = append(paths, "runs/"+run+"/findings/"+f["id"].(string))
	}
	var link struct{ Token string }
	s.call("POST", "projects/"+project+"/links", object{"for": "share"}, 201, &link)
	escaped := 0
	for _, path := range append(paths, "projects/"+project, "share/"+link.Token) {
		a := s.send("GET", path, nil)
		if a.status != 200 || strings.ContainsAny(string(a.body), "\u202e\u2066\u061c\u200e\u200f") {
			t.Errorf("%s: status %d, or a character that changes the direction of text", path, a.status)
		}
		if strings.Contains(string(a.body), `\u{202e}gpj.\u{2066}\u{61c}\u{200e}\u{200f}</bdi>`) {
			escaped++
		}
	}
	if escaped < 4 {
		t.Errorf("%d pages have an escaped text, want the list of pages, the map, both pages with links and the finding", escaped)
	}
	if text := slack.wait(t, 1)[0].Text; strings.ContainsAny(text, acting[:3]) {
		t.Errorf("the message has a character that changes the direction of text: %s", text)
	}
}
