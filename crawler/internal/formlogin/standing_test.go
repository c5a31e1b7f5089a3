package formlogin

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/session"
	"github.com/orbweaver/orbweaver/urinorm"
)

func TestStanding(t *testing.T) {
	in := true
	for _, row := range []struct {
		name           string
		config         session.Config
		public         string
		wayOut         string // on the public page, for members
		signedIn, lost Standing
	}{
		{"start page", session.Config{}, "", "", Holding, Lost},
		{"public start page", session.Config{}, "<p>hello", "", Public, Public},
		{"public start page with a way out", session.Config{}, "<p>hello", "<a href=/bye>Log out</a>", Holding, Lost},
		{"check page", session.Config{Check: "/me=Hello"}, "<p>hello", "", Holding, Lost},
	} {
		in = true
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.Method == http.MethodPost:
				enter(w, r)
			case r.URL.Path == "/login":
				fmt.Fprint(w, simpleForm)
			case r.URL.Path == "/" && row.public != "":
				fmt.Fprint(w, row.public)
				if cookie, _ := r.Cookie("session"); in && cookie != nil {
					fmt.Fprint(w, row.wayOut)
				}
			case in:
				page(w, r)
			default:
				http.Redirect(w, r, "/login", http.StatusFound)
			}
		})
		if row.config.Check != "" {
			row.config.Check = s.URL + row.config.Check
		}
		v, _, failure := signIn(t, s, row.config)
		if failure != nil {
			t.Fatal(failure)
		}
		for _, in = range []bool{true, false} {
			got, want := v.standing(t), row.signedIn
			if !in {
				want = row.lost
			}
			if got != want {
				t.Errorf("%s, signed in %t: %d, want %d", row.name, in, got, want)
			}
		}
	}
}

// A session is lost if a start page answers as it answers everybody, however that is.
func TestStandingIsComparedWithEverybody(t *testing.T) {
	for _, row := range []struct {
		name   string
		starts []string
		out    http.HandlerFunc
	}{
		{"401", []string{"/"}, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusUnauthorized) }},
		{"404", []string{"/"}, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNotFound) }},
		{"another page", []string{"/"}, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/public/", http.StatusFound) }},
		{"the second start page", []string{"/public/", "/"}, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/login", http.StatusFound) }},
		{"the start page that names the way out is public", []string{"/greeting", "/"}, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/login", http.StatusFound) }},
	} {
		t.Run(row.name, func(t *testing.T) {
			in := true
			s := serve(t, func(w http.ResponseWriter, r *http.Request) {
				switch {
				case r.Method == http.MethodPost:
					enter(w, r)
				case r.URL.Path == "/login":
					fmt.Fprint(w, simpleForm)
				case r.URL.Path == "/greeting" && in && member(r):
					fmt.Fprint(w, `<a href="/bye">Log out</a>`)
				case r.URL.Path == "/greeting", r.URL.Path == "/public/":
					fmt.Fprint(w, "<p>hello")
				case in && member(r):
					page(w, r)
				default:
					row.out(w, r)
				}
			})
			v, proof, failure := signInFor(t, s, session.Config{}, row.starts...)
			if failure != nil || !proof.Proven || proof.Public {
				t.Fatalf("%+v, %v", proof, failure)
			}
			for _, in = range []bool{true, false, true} {
				want := Holding
				if !in {
					want = Lost
				}
				if got := v.standing(t); got != want {
					t.Errorf("signed in %t: %d, want %d", in, got, want)
				}
			}
		})
	}
}

// Cookies of the user are lost if any start page leads to the sign-in page, or no longer has
// the link for signing out that the crawl saw there.
func TestStandingOfCookies(t *testing.T) {
	in := true
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/login":
			fmt.Fprint(w, simpleForm)
		case r.URL.Path == "/wiki/" && in && r.Header.Get("Cookie") != "":
			fmt.Fprint(w, `<a href=/bye>Log out</a>`)
		case r.URL.Path == "/public/" || r.URL.Path == "/" && in && r.Header.Get("Cookie") != "":
			fmt.Fprint(w, "<p>hello")
		case r.URL.Path == "/wiki/":
			fmt.Fprint(w, "<p>hello")
		case r.URL.Path == "/all/":
			fmt.Fprint(w, `<a href=/bye>Log out</a>`)
		default:
			http.Redirect(w, r, "/login", http.StatusFound)
		}
	})
	client, err := fetch.NewHTTP(fetch.HTTPConfig{Secrets: fetch.Secrets{Header: http.Header{"Cookie": {"sid=1"}}, Origins: fetch.NewOrigins(parse(t, s.URL))}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	for _, row := range []struct {
		in   bool
		path []string
		want Standing
	}{
		{true, []string{"/public/"}, Public}, {false, []string{"/public/"}, Public},
		{true, []string{"/public/", "/"}, Holding}, {false, []string{"/public/", "/"}, Lost},
		{true, []string{"/wiki/"}, Holding}, {false, []string{"/wiki/"}, Lost},
		{true, []string{"/public/", "/wiki/"}, Holding}, {false, []string{"/public/", "/wiki/"}, Lost},
		{true, []string{"/all/"}, Public}, {false, []string{"/all/"}, Public}, // it is for everybody
	} {
		var starts []urinorm.URL
		for _, path := range row.path {
			starts = append(starts, parse(t, s.URL+path))
		}
		in = true
		v := &visitor{New(session.ForCookies(starts), Options{}), client}
		for _, u := range starts { // as the crawl reads them
			resp, err := client.Fetch(t.Context(), &fetch.Request{URL: u, Need: fetch.Content})
			if err != nil {
				t.Fatal(err)
			}
			p, _, err := read(u, resp)
			if err != nil || p == nil || !v.WantsStart(u) {
				t.Fatalf("%s: %v", u, err)
			}
			v.NoteStart(p)
		}
		in = row.in
		if got := v.standing(t); got != row.want {
			t.Errorf("%+v: %d", row, got)
		}
	}
}
