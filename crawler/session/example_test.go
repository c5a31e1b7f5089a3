package session_test

import (
	"fmt"
	"log"

	"github.com/orbweaver/orbweaver/crawler/session"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Check a login before anything is sent. A crawl takes the Login in Config.Login.
func ExampleNewPlan() {
	start, _, _ := urinorm.ParseWeb("https://example.com/members/")
	plan, err := session.NewPlan([]session.Config{{
		Name:     "--login",
		URL:      "https://example.com/login",
		User:     "alice",
		Password: session.NewSecret("correct horse"),
	}}, []urinorm.URL{start}, nil)
	if err != nil {
		log.Fatal(err)
	}
	login := plan.Logins[0]
	fmt.Println(login.Covers(start), login.Given.Password)
	// Output: true ***
}
