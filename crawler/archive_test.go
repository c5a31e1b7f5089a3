package crawler

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
)

// archiveOf answers as the CDX server of the Wayback Machine does, about the URLs it knows.
func archiveOf(t *testing.T, known map[string]func(*exchange)) *faultServer {
	t.Helper()
	return serveFaults(t, nil, func(x *exchange) {
		if answer := known[x.request.URL.Query().Get("url")]; answer != nil && x.request.URL.Path == "/cdx" {
			answer(x)
			return
		}
		x.say("200 OK", "Content-Type: application/json\r\n", "[]")
	})
}

// captured answers with captures of a URL: timestamps, each followed by a status.
func captured(url string, captures ...string) func(*exchange) {
	return func(x *exchange) {
		rows := `[["urlkey","timestamp","original","mimetype","statuscode","digest","length"]`
		for i := 0; i < len(captures); i += 2 {
			rows += fmt.Sprintf(`,["k",%q,%q,"text/html",%q,"D","1"]`, captures[i], url, captures[i+1])
		}
		x.say("200 OK", "Content-Type: application/json\r\n", rows+"]")
	}
}

// askArchive returns the settings for an archive.
func askArchive(addr string) *Archive { return &Archive{API: "http://" + addr + "/cdx", Max: 1000} }

const archivedPages = `<a href=http://gone.org/page>a</a><a href=http://gone.org/page#part>a</a><a href=http://gone.org/never>b</a>
	<a href=http://gone.org/error>c</a><a href=http://gone.org/busy>d</a><a href=http://gone.org/broken>e</a><a href=http://gone.org/odd>f</a>
	<a href=http://there.org/>g</a><a href=http://intranet/x>h</a><a href=http://host.Internal/x>i</a><a href=http://10.0.0.1/x>j</a>
	<a href=http://joe@gone.org/page2>k</a><a href=/gone>l</a><a href=http://gone.org/forbidden>m</a>`

func TestArchive(t *testing.T) {
	busy := 0
	archive := archiveOf(t, map[string]func(*exchange){
		"http://gone.org/page":  captured("http://gone.org/page", "20110919044612", "200", "20130919044612", "200", "20150919044612", "404"),
		"http://gone.org/error": captured("http://gone.org/error", "20130919044612", "404"),
		"http://gone.org/never": func(x *exchange) { x.say("404 Not Found", "", "") },
		"http://gone.org/busy": func(x *exchange) {
			if busy++; busy == 1 {
				x.say("429 Too Many Requests", "Retry-After: 0\r\n", "")
				return
			}
			captured("http://gone.org/busy", "20130919044612", "200", "20140919044612", "301")(x)
		},
		"http://gone.org/broken": func(x *exchange) { x.say("200 OK", "Content-Type: application/json\r\n", "<html>") },
		"http://gone.org/odd":    captured("javascript:alert(1)", "20130919044612", "200"),
	})
	pages := at(map[string]func(*exchange){
		"site.test/":         page(archivedPages),
		"there.org/":         page("<p>"),
		"gone.org/forbidden": status("403 Forbidden"),
	})
	for _, stream := range []bool{false, true} {
		busy = 0
		before := len(archive.order)
		cfg, _ := realWeb(t, pages)
		cfg.Judging.Archive, cfg.Politeness.Retries, cfg.Deliver.Stream = askArchive(archive.addr), 2, stream
		c, sum := crawl(t, cfg, seedOf(t, "http://site.test/"))
		wantSuggestions(t, c, map[string]string{
			"http://gone.org/page":      "http://" + archive.addr + "/web/20130919044612/http://gone.org/page",
			"http://gone.org/page#part": "http://" + archive.addr + "/web/20130919044612/http://gone.org/page#part",
			"http://gone.org/busy":      "http://" + archive.addr + "/web/20130919044612/http://gone.org/busy",
		})
		if r := c.find("http://gone.org/page"); r == nil || r.Code != "http-404" || r.Suggestions[0].Why != "archived copy of 2013-09-19" {
			t.Errorf("%+v", r)
		}
		for url, class := range map[string]string{"page": "rotted", "error": "unclear", "busy": "moved", "never": check.NeverSeen, "broken": "", "odd": "", "forbidden": ""} {
			r := c.find("http://gone.org/" + url)
			if got := r.Archive; class == "" && got != nil || class != "" && (got == nil || got.Class != class) {
				t.Errorf("%s: the archive knows %+v, want %q", url, got, class)
			}
			if never := slices.ContainsFunc(r.Warnings, func(w check.Warning) bool { return w.Code == judging.CodeNeverArchived }); never != (class == check.NeverSeen) {
				t.Errorf("%s: the warnings are %+v", url, r.Warnings)
			}
		}
		asked := archive.order[before:]
		if len(asked) != 7 || strings.Contains(strings.Join(asked, " "), "joe") || strings.Contains(strings.Join(asked, " "), "intern") {
			t.Errorf("the archive was asked %d times: %v", len(asked), asked)
		}
		if len(c.notes) != 1 || c.notes[0].Message != "the archive gave no answer about 2 of 6 broken targets: read its answer: the address of a capture is neither http nor https" {
			t.Errorf("notes %v", c.notes)
		}
		if sum.Requests < 7+8 || sum.Broken != 12 {
			t.Errorf("%d requests, %d broken", sum.Requests, sum.Broken)
		}
	}
}

// Exclusions apply to requests to an archive; the other rules for links do not, as the user
// named it.
func TestRulesForArchives(t *testing.T) {
	pages := at(map[string]func(*exchange){"site.test/": page(archivedPages)})
	for _, row := range []struct {
		name  string
		set   func(*Config)
		asked int
		note  string
	}{
		{"one address", func(cfg *Config) { cfg.Scope.Exclude = patterns(`cdx\?url=.*never&`) }, 7, "the archive gave no answer about 1 of 8 broken targets: excluded by "},
		{"the archive", func(cfg *Config) { cfg.Scope.Exclude = patterns(`/cdx`) }, 0, "the archive gave no answer about 8 of 8 broken targets: excluded by "},
		{"robots.txt", func(cfg *Config) { cfg.Scope.Robots, cfg.Scope.RobotsGiven = RobotsStrict, true }, 8, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			archive := archiveOf(t, nil)
			cfg, _ := realWeb(t, pages)
			cfg.Judging.Archive = askArchive(archive.addr)
			row.set(cfg)
			c, _ := crawl(t, cfg, seedOf(t, "http://site.test/"))
			if len(archive.order) != row.asked {
				t.Errorf("the archive was asked %d times, want %d: %v", len(archive.order), row.asked, archive.order)
			}
			if noted := len(c.notes) == 1 && strings.HasPrefix(c.notes[0].Message, row.note); (row.note != "") != (len(c.notes) > 0) || row.note != "" && !noted {
				t.Errorf("notes %v", c.notes)
			}
		})
	}
}

// TestArchiveIsAway: an archive that fails costs no verdict, and one that goes on
// refusing is left alone.
func TestArchiveIsAway(t *testing.T) {
	pages := at(map[string]func(*exchange){"site.test/": page(archivedPages)})
	refusing := serveFaults(t, nil, status("503 Busy"))
	for addr, why := range map[string]string{refusing.addr: "its answer has the status 503", closedAddr(t): "connection refused"} {
		cfg, _ := realWeb(t, pages)
		cfg.Judging.Archive, cfg.Politeness.Retries = askArchive(addr), -1
		c, sum := crawl(t, cfg, seedOf(t, "http://site.test/"))
		wantSuggestions(t, c, nil)
		if !sum.Soundness.Complete() || len(c.notes) != 1 || !strings.HasSuffix(c.notes[0].Message, ": "+why) || c.find("http://gone.org/page").Code != "http-404" {
			t.Errorf("%+v, notes %v", sum, c.notes)
		}
	}
	if n := len(refusing.order); n != 3 {
		t.Errorf("%d requests to an archive that refuses", n)
	}
	// Nothing is asked when the run was cut short.
	stop := make(chan struct{})
	close(stop)
	cfg, _ := realWeb(t, pages)
	before := len(refusing.order)
	cfg.Judging.Archive, cfg.Stop = askArchive(refusing.addr), stop
	crawl(t, cfg, seedOf(t, "http://site.test/"))
	if len(refusing.order) != before {
		t.Error("an interrupted run asked the archive")
	}
}

// TestTimeMaps: the address of TimeMaps is completed by that of the target as it is, and limits
// how many are asked for.
func TestTimeMaps(t *testing.T) {
	pages := at(map[string]func(*exchange){"site.test/": page("<a href=http://gone.org/page?a=b&amp;c>a</a><a href=http://gone.org/other>b</a>")})
	for _, path := range []string{"/timemap/", "/timemap/{url}"} {
		archive := serveFaults(t, nil, func(x *exchange) {
			x.say("200 OK", "Content-Type: application/link-format\r\n", `<https://a.test/m>;rel="first last memento";datetime="Fri, 02 Jan 2009 03:04:05 GMT"`)
		})
		cfg, _ := realWeb(t, pages)
		cfg.Judging.Archive = &Archive{Memento: true, API: "http://" + archive.addr + path, Max: 1}
		c, _ := crawl(t, cfg, seedOf(t, "http://site.test/"))
		if want := "/timemap/http://gone.org/other"; len(archive.order) != 1 || !strings.HasSuffix(archive.order[0], want) {
			t.Errorf("%s: asked %v, want %s", path, archive.order, want)
		}
		if r := c.find("http://gone.org/other"); r.Archive == nil || r.Archive.Service != "memento" || r.Suggestions[0].URL != "https://a.test/m" {
			t.Errorf("%s: %+v", path, r)
		}
		if len(c.notes) != 1 || c.notes[0].Message != "the archive was asked about 1 broken target; left out: 1 more" {
			t.Errorf("%s: notes %v", path, c.notes)
		}
	}
}

// TestArchiveAnswersOddly: an archive that answers as it should not costs no verdict, and nothing that it
// says is followed.
func TestArchiveAnswersOddly(t *testing.T) {
	elsewhere := serveFaults(t, nil, status("200 OK"))
	rows := strings.Repeat(`,["k","20130919044612","http://gone.org/page","text/html","200","D","1"]`, 12<<20/72)
	const asked, refused = 8, 3 // of the links of archivedPages, 8 are broken and public; three refusals in a row are enough
	for _, row := range []struct {
		name     string
		answer   func(*exchange)
		note     string
		requests int
	}{
		{"HTML", page("<!doctype html><title>Welcome</title>"), "no answer about 8 of 8 broken targets: read its answer", refused},
		{"12 MB", func(x *exchange) {
			x.say("200 OK", "Content-Type: application/json\r\n", `[["urlkey","timestamp","original","mimetype","statuscode","digest","length"]`+rows+"]")
		}, "", asked},
		{"429 for ever", func(x *exchange) { x.say("429 Too Many Requests", "Retry-After: 0\r\n", "") }, "no answer about 8 of 8 broken targets: its answer has the status 429", refused},
		{"another host", func(x *exchange) {
			x.say("302 Found", "Location: http://"+elsewhere.addr+"/cdx\r\n", "")
		}, "no answer about 8 of 8 broken targets: its answer has the status 302", refused},
	} {
		t.Run(row.name, func(t *testing.T) {
			archive := serveFaults(t, nil, row.answer)
			cfg, _ := realWeb(t, at(map[string]func(*exchange){"site.test/": page(archivedPages)}))
			cfg.Judging.Archive, cfg.Politeness.Retries = askArchive(archive.addr), 1
			c, sum := crawl(t, cfg, seedOf(t, "http://site.test/"))
			r := c.find("http://gone.org/page")
			if r.Code != "http-404" || !sum.Soundness.Complete() || len(archive.order) != row.requests || len(elsewhere.order) > 0 {
				t.Errorf("%s, %+v, %d requests: %v", r.Code, sum, len(archive.order), archive.order)
			}
			if row.note == "" { // what was read counts, but it is not known what comes last
				if a := r.Archive; a == nil || a.Class != "rotted" || !a.LastSeen.IsZero() || len(c.notes) > 0 {
					t.Errorf("the archive knows %+v, notes %v", r.Archive, c.notes)
				}
			} else if r.Archive != nil || len(c.notes) != 1 || !strings.Contains(c.notes[0].Message, row.note) {
				t.Errorf("the archive knows %+v, notes %v", r.Archive, c.notes)
			}
		})
	}
}
