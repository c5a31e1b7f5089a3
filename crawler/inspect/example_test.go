package inspect_test

import (
	"context"
	"fmt"
	"log"

	"github.com/orbweaver/orbweaver/crawler/inspect"
)

// Look for texts that must not be on pages. A crawl takes the Inspector in Config.Judging.
func ExampleOpen() {
	rules, err := inspect.CompileContent([]inspect.ContentRule{{Name: "no-drafts", Not: []string{"lorem ipsum"}, Level: "broken"}})
	if err != nil {
		log.Fatal(err)
	}
	groups, err := inspect.ParseGroups("seo,accessibility")
	if err != nil {
		log.Fatal(err)
	}
	inspector, err := inspect.Open(context.Background(), inspect.Config{Groups: groups, Content: rules})
	if err != nil {
		log.Fatal(err)
	}
	defer inspector.Close()
	fmt.Println(groups)
	// Output: seo,accessibility
}

// The faults of rules say which rule and which key they are about.
func ExampleCompileContent() {
	_, err := inspect.CompileContent([]inspect.ContentRule{{Name: "drafts"}})
	fmt.Println(err)
	// Output: content rule "drafts": must or not is missing: say what a page must or must not contain
}
