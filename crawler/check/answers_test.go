package check

import (
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Each scheme with a fetcher has a description of the answer that is ok.
func TestAnswerOf(t *testing.T) {
	web, err := fetch.NewHTTP(fetch.HTTPConfig{})
	if err != nil {
		t.Fatal(err)
	}
	defer web.Close()
	daemons, err := fetch.NewOtherSchemes(web, fetch.OtherSchemesConfig{})
	if err != nil {
		t.Fatal(err)
	}
	schemes := []string{"http", "https", "file", "mailto"}
	for scheme := range daemons.Fetchers() {
		schemes = append(schemes, scheme)
	}
	for _, scheme := range schemes {
		sentence, ok := AnswerOf(scheme)
		if !ok || strings.HasSuffix(sentence, ".") || sentence == "" {
			t.Errorf("%s: %q %v", scheme, sentence, ok)
		}
		if !urinorm.KnownScheme(scheme) {
			t.Errorf("%s is no known scheme", scheme)
		}
	}
	if len(answers)+len(variants) != len(schemes) {
		t.Errorf("%d sentences for %d schemes", len(answers)+len(variants), len(schemes))
	}
	if _, ok := AnswerOf("tel"); ok {
		t.Error("tel: is asked")
	}
}
