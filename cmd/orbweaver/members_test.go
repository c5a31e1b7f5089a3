package main

import (
	"fmt"
	"net/http"
)

// addMembers adds pages for members, who sign in with a form.
func addMembers(mux *http.ServeMux) {
	member := func(r *http.Request) bool {
		cookie, err := r.Cookie("member")
		return err == nil && cookie.Value == "bob-s3ssion"
	}
	form := func(w http.ResponseWriter, message string) {
		fmt.Fprintf(w, `<!doctype html>%s<form method=post><input type=hidden name=token value=t><input name=user><input type=password name=pw><button>Sign in</button></form>`, message)
	}
	mux.HandleFunc("GET /members/login", func(w http.ResponseWriter, r *http.Request) { form(w, "") })
	mux.HandleFunc("POST /members/login", func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("user") != "bob" || r.FormValue("pw") != "hunter2 ü" || r.FormValue("token") != "t" {
			form(w, "<p role=alert>wrong: "+r.FormValue("pw")+"</p>")
			return
		}
		http.SetCookie(w, &http.Cookie{Name: "member", Value: "bob-s3ssion", Path: "/"})
		http.Redirect(w, r, "/members/", http.StatusSeeOther)
	})
	mux.HandleFunc("GET /members/{page...}", func(w http.ResponseWriter, r *http.Request) {
		if !member(r) {
			http.Redirect(w, r, "/members/login?next="+r.URL.Path, http.StatusFound)
			return
		}
		fmt.Fprint(w, `<!doctype html>Hello bob. <a href="/members/one">one</a> <a href="/members/two">two</a> <a href="/status/404">gone</a> <a href="/bye">Abmelden</a>`)
	})
	mux.HandleFunc("GET /bye", func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "member", Path: "/", MaxAge: -1})
	})
}
