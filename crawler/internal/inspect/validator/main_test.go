package validator

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/page"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
)

// shared is the one real service of all tests: java needs seconds to start it.
var shared struct {
	sync.Once
	service *Service
	err     error
}

func TestMain(m *testing.M) {
	if role := os.Getenv("VALIDATOR_TEST_ROLE"); role == "owner of java" {
		ownJava()
		return
	}
	code := m.Run()
	if shared.service != nil {
		shared.service.Close()
	}
	os.Exit(code)
}

// realService returns the real service. Without java and vnu.jar the test is skipped, but it
// fails in CI.
func realService(t *testing.T) *Service {
	if _, err := exec.LookPath("java"); err != nil || os.Getenv("VNU_JAR") == "" {
		missing(t, "java and VNU_JAR, the file vnu.jar of the npm package vnu-jar")
	}
	shared.Do(func() { shared.service, shared.err = Launch(context.Background()) })
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.service
}

func realTidy(t *testing.T) *Tidy {
	tidy, err := FindTidy()
	if err != nil {
		missing(t, "the program tidy")
	}
	return tidy
}

func missing(t *testing.T, what string) {
	if os.Getenv("CI") == "true" {
		t.Fatal("this test needs ", what)
	}
	t.Skip("this test needs ", what)
}

func htmlPage(text string) *page.Page {
	return &page.Page{URL: "https://example.com/", ContentType: "text/html", Format: "html", Charset: "utf-8", Text: []byte(text), Places: extract.NewPlaces([]byte(text))}
}

func cssPage(text string) *page.Page {
	return &page.Page{URL: "https://example.com/a.css", ContentType: "text/css", Format: "css", Charset: "utf-8", Text: []byte(text), Places: extract.NewPlaces([]byte(text))}
}

// rules lists the rules of findings.
func rules(findings []judging.Finding) string {
	var list []string
	for _, f := range findings {
		list = append(list, f.Rule)
	}
	return strings.Join(list, " ")
}
