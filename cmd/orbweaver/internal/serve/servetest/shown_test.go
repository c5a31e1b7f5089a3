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

// People read letters; links, fields to copy and the API have the URL as it is.
func TestURLsAreReadable(t *testing.T) {
	const idn, mixed = "https://xn--bcher-kva.invalid/", "https://xn--pple-43d.invalid/" // bücher, and apple with an а of Cyrillic
	web := newSite(t, map[string]string{"/": `<a href="/caf%C3%A9/%D7%A9?q=a%20b%2Fc%25%E2%80%AEd">x</a><a href="` + idn + `">y</a><a href="` + mixed + `">z</a>`})
	s := open(t, t.TempDir())
	project := s.create(object{"targets": []string{web.URL}, "options": object{"retries": 0}})
	run := s.checked(project)
	escaped, shown := web.URL+"/caf%C3%A9/%D7%A9?q=a%20b%2Fc%25%E2%80%AEd", web.URL+"/café/ש?q=a%20b%2Fc%25%E2%80%AEd"
	ids := map[string]string{}
	for _, f := range s.items("runs/" + run + "/findings") {
		ids[f["url"].(string)] = f["id"].(string)
	}
	for _, url := range []string{escaped, idn, mixed} {
		if ids[url] == "" {
			t.Fatalf("the API has no finding of %s: %v", url, ids)
		}
	}
	for _, path := range []string{"runs/" + run + "/findings", "runs/" + run + "/findings?view=links"} {
		page := string(s.send("GET", path, nil).body)
		for _, want := range []string{"<bdi>" + shown + "</bdi>", "<bdi>https://bücher.invalid/</bdi>", "<bdi>" + mixed + "</bdi>"} {
			if !strings.Contains(page, want) {
				t.Errorf("%s does not show %s", path, want)
			}
		}
	}
	for url, want := range map[string]string{escaped: shown, idn: "https://bücher.invalid/", mixed: mixed} {
		page := string(s.send("GET", "runs/"+run+"/findings/"+ids[url], nil).body)
		for _, part := range []string{"<bdi>" + want + "</bdi>", `readonly value="` + url + `"`, `href="` + url + `"`} {
			if !strings.Contains(page, part) {
				t.Errorf("the page of %s lacks %s", url, part)
			}
		}
	}
}

// TestOneLink reads the counts of a site with a single link.
func TestOneLink(t *testing.T) {
	web := newSite(t, map[string]string{"/": "<p>x"})
	s := open(t, t.TempDir())
	project := s.create(object{"targets": []string{web.URL}})
	run := s.checked(project)
	for _, path := range []string{"projects/" + project, "runs/" + run} {
		if page := string(s.send("GET", path, nil).body); !strings.Contains(page, "1 link to 1 target on 1 page") {
			t.Errorf("%s does not say \"1 link to 1 target on 1 page\": %s", path, page)
		}
	}
}
