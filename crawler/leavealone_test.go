package crawler

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
)

// With credentials, links whose address, text or method says that they sign out or delete
// are not requested, also outside the directory that is crawled.
func TestActionsAreLeftAlone(t *testing.T) {
	var mu sync.Mutex
	var asked []string
	mux := http.NewServeMux()
	mux.HandleFunc("/start/{$}", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, `<!doctype html><a href=/bye>Abmelden</a> <a href=/item>Item</a> <a href=/item/7 data-method=delete>Item</a>
<a href=/x title="Log out">x</a> <a href=/logout>x</a> <a href=/named>x</a> <a href=/two>Two</a> <a href=/start/second/>Second</a>
<a href=/turbo data-turbo-method=POST>x</a> <a href=/get data-method=get>x</a> <a href=/label aria-label="D&eacute;connexion">x</a> <a href=/nested><i></i> <b>Log</b> out</a>
<a href="/nonce?_wpnonce=1">x</a> <a href="/token?id=1&amp;csrf_token=2">x</a> <a href="/moved">x</a> <a href=/more><img src=/out.png alt="">Mehr</a>`)
	})
	mux.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/session/destroy", http.StatusFound)
	})
	mux.HandleFunc("/start/second/{$}", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, `<!doctype html><meta http-equiv=refresh content="9;url=/signoff"><a href=/item>Item</a> <a href=/two>Two</a> <a href=/bye>Abmelden</a>`)
	})
	base, _ := crawlertest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked = append(asked, r.URL.Path)
		mu.Unlock()
		w.Header().Set("Content-Type", "text/html")
		mux.ServeHTTP(w, r)
	}))
	for _, row := range []struct {
		credentials, unsafe bool
		left                string
	}{
		{true, false, "/bye /item/7 /label /logout /named /nested /nonce /session/destroy /signoff /token /turbo /x"}, {true, true, ""}, {false, false, ""},
	} {
		asked = nil
		cfg := web(t)
		cfg.Scope.Credentials, cfg.Scope.AllowUnsafe, cfg.Scope.LeaveAlone = row.credentials, row.unsafe, map[string]bool{base + "/named": true}
		crawl(t, cfg, seedOf(t, base+"/start/"))
		var left []string
		for _, path := range strings.Fields("/bye /get /item /item/7 /label /logout /moved /more /named /nested /nonce /session/destroy /signoff /start/second/ /token /turbo /two /x") {
			if !slices.Contains(asked, path) {
				left = append(left, path)
			}
		}
		if got := strings.Join(left, " "); got != row.left {
			t.Errorf("credentials %t, unsafe %t: %q was left alone, want %q", row.credentials, row.unsafe, got, row.left)
		}
	}
}
