package webtest

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
)

// testLive follows a run through a stop, a resume, and a restart of the server.
func testLive(t *testing.T) {
	site := newSite(t)
	data, listen := filepath.Join(t.TempDir(), "data"), fmt.Sprint("127.0.0.1:", freePort(t))
	args := []string{"--auth", "none", "--data", data}
	s := serve(t, listen, "", args...)
	p := openTab(t, s, s.base)
	p.Expect("ERR_") // while the server is away
	p.fill("[name=targets]", site.URL+"/")
	p.submit("button", "Add and check now")
	p.Until(`document.querySelector("#n-broken")?.innerText === "1"`)
	p.submit("button", "Stop")
	p.Until(`document.querySelector(".notice strong")?.innerText === "Not reliable:"`)
	p.Want(`document.querySelector(".notice strong").parentElement.innerText.includes("stopped by ")`, "true")
	p.submit("button", "Resume")
	p.Until(`document.querySelector("#live .badge")?.innerText === "running"`)

	// The page stays, although the run was interrupted before.
	mark := func() {
		p.Helper()
		p.Until(`document.readyState === "complete"`) // it may be loading again
		crawlertest.Eval[bool](p.Tab, `document.documentElement.dataset.mark = "yes" === "yes"`)
	}
	stays := func(why string) {
		p.Helper()
		if !crawlertest.Eval[bool](p.Tab, `"mark" in document.documentElement.dataset`) {
			p.Errorf("the page was loaded again: %s", why)
		}
	}
	mark()
	was := crawlertest.Eval[string](p.Tab, `document.querySelector("#n-elapsed_ms").innerText`)
	p.Until(fmt.Sprintf(`document.querySelector("#n-elapsed_ms").innerText !== %q`, was))
	p.Until(`document.querySelector("#n-remaining_ms").innerText !== "" && document.querySelector("#n-rate").innerText.includes(".")`)
	stays("after a stop and a resume")
	p.Want(`document.querySelector("#connection").hidden`, "true")

	// The server is away: the page says so, and its numbers stay.
	s.kill()
	was = crawlertest.Eval[string](p.Tab, `document.querySelector("#n-elapsed_ms").innerText`)
	p.Until(`document.querySelector("#connection").checkVisibility()`)
	p.Want(`/^No connection to the server since .*The numbers are from then/.test(document.querySelector("#connection").innerText)`, "true")
	p.Want(`document.querySelector("#n-elapsed_ms").innerText`, was)
	p.look("run-away")
	stays("while the server is away")
	s = serve(t, listen, "", args...)
	// The run was interrupted and goes on, so the page is loaded again, once.
	p.Until(`document.documentElement && !("mark" in document.documentElement.dataset)`)
	p.Until(`document.querySelector("#connection")?.checkVisibility() === false && document.querySelector("#live .badge")?.innerText === "running"`)
	run := strings.TrimPrefix(crawlertest.Eval[string](p.Tab, `location.href`), s.base)
	mark()
	was = crawlertest.Eval[string](p.Tab, `document.querySelector("#n-elapsed_ms").innerText`)
	p.Until(fmt.Sprintf(`document.querySelector("#n-elapsed_ms").innerText !== %q`, was))
	stays("after a restart")

	// The first page shows the end of the run without being loaded again.
	p.visit("")
	p.Until(`document.querySelector("[data-progress]")?.innerText.includes("targets checked, 1 broken")`)
	mark()
	site.release()
	p.Until(`document.querySelector(".project .badge.broken")?.innerText === "2 issues, 2 broken links"`)
	p.Want(`document.querySelector(".project button").disabled`, "false")
	stays("at the end of a run")
	p.visit(run)
	p.Want(`document.querySelector("h1").innerText`, "2 issues, 2 broken links")
}
