package crawler

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/inspect"
	"github.com/orbweaver/orbweaver/crawler/internal/recall"
	"github.com/orbweaver/orbweaver/crawler/internal/render"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/crawler/internal/versions"
	"github.com/orbweaver/orbweaver/crawler/internal/view"
)

// What a run requests beside targets is not requested if it is excluded, and is otherwise.
func TestExclusionsBesideTargets(t *testing.T) {
	root := crawlertest.NewAuthority(t, "root")
	for _, row := range []struct {
		name  string
		asked string // on the host site.test
		set   func(*testing.T, *Config)
	}{
		{"sitemap", "GET site.test/map.xml", func(_ *testing.T, cfg *Config) {
			cfg.Scope.Sitemaps, cfg.Scope.Robots, cfg.Scope.RobotsGiven = true, RobotsCrawl, true
		}},
		{"twin", "HEAD site.test/twin", func(_ *testing.T, cfg *Config) { cfg.Judging.CheckHTTPS = true }},
		{"icon", "GET site.test/favicon.ico", func(t *testing.T, cfg *Config) {
			groups, err := inspect.ParseGroups("images")
			if err != nil {
				t.Fatal(err)
			}
			if cfg.Judging.Inspector, err = inspect.Open(t.Context(), inspect.Config{Groups: groups}); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(cfg.Judging.Inspector.Close)
		}},
	} {
		for _, excluded := range []bool{false, true} {
			t.Run(fmt.Sprint(row.name, excluded), func(t *testing.T) {
				pages := at(map[string]func(*exchange){
					"site.test/": page("<a href=/twin>x</a>"), "site.test/twin": page("x"),
					"site.test/robots.txt": func(x *exchange) {
						x.say("200 OK", "Content-Type: text/plain\r\n", "Sitemap: http://site.test/map.xml\n")
					},
					"site.test/map.xml": func(x *exchange) { x.say("200 OK", "Content-Type: application/xml\r\n", "<urlset/>") },
				})
				secure := serveFaults(t, tlsOf(root.Leaf(t, "site.test")), pages)
				cfg, server := realWeb(t, pages, func(h *fetch.HTTPConfig) {
					h.CAFile = root.File(t)
					h.ConnectTo = append(h.ConnectTo, fetch.ConnectTo{From: "site.test:443", To: secure.addr})
				})
				row.set(t, cfg)
				asked := server
				if row.name == "twin" {
					asked = secure
				}
				if excluded {
					_, path, _ := strings.Cut(row.asked, "site.test")
					scheme := "http"
					if row.name == "twin" {
						scheme = "https"
					}
					cfg.Scope.Exclude = patterns("^" + scheme + "://site.test" + path + "$")
				}
				crawl(t, cfg, seedOf(t, "http://site.test/"))
				if n := asked.count(row.asked); (n == 0) != excluded {
					t.Errorf("%s was requested %d times: %v, %v", row.asked, n, server.order, secure.order)
				}
			})
		}
	}
}

// What the browser asks for, and what is asked whether it is unchanged, is not requested if it
// is excluded, and is otherwise.
func TestExclusionsInTheBrowser(t *testing.T) {
	for name, send := range map[string]func(context.Context, *view.Browser){
		"frame": func(ctx context.Context, g *view.Browser) {
			g.Answer(ctx, &render.Ask{URL: "http://far.test/x", Type: render.Frame})
		},
		"navigation": func(ctx context.Context, g *view.Browser) {
			g.Answer(ctx, &render.Ask{URL: "http://far.test/x", Type: render.Navigation})
		},
		"stream": func(ctx context.Context, g *view.Browser) {
			g.Answer(ctx, &render.Ask{URL: "http://far.test/x", Type: render.Stream})
		},
		"unchanged": func(ctx context.Context, g *view.Browser) {
			g.Unchanged(ctx, nil, &recall.Page{Format: "html", Rendered: true, Loaded: []recall.Loaded{{URL: "http://far.test/x", Validators: versions.Validators{ETag: `"x"`}}}})
		},
	} {
		for _, excluded := range []bool{false, true} {
			cfg, server := realWeb(t, page("x"))
			cfg.Render.Mode = scope.RenderAlways
			if excluded {
				cfg.Scope.Exclude = patterns("^http://far.test/x$")
			}
			r := newRun(t.Context(), cfg, seedOf(t, "http://site.test/"), &collector{})
			send(t.Context(), r.reader.Browser)
			r.door.Library.Close()
			if n := server.count("far.test/x"); (n == 0) != excluded {
				t.Errorf("%s: requested %d times, excluded: %v", name, n, excluded)
			}
		}
	}
}
