package service

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/runs"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Limits of the list of URLs that a project only checks.
const (
	MaxURLs    = 10_000
	MaxURLList = 4 << 20 // bytes of its text
)

// readURLs reads a list of URLs, one a line. Empty lines and those that begin with # do not count, and
// repeated ones count once. What is wrong with them is a problem, else nil.
func readURLs(engine runs.Engine, text string) (urls []string, wrong *api.Problem) {
	urls = []string{}
	var faults []api.Fault
	unlisted := 0
	known := map[string]bool{}
	n := 0
	for line := range strings.SplitSeq(text, "\n") {
		n++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") || known[line] {
			continue
		}
		known[line] = true
		target, err := line, error(nil)
		if target, err = engine.CheckTarget(line); err == nil {
			err = checkListed(target)
		}
		if !utf8.ValidString(line) {
			err = fmt.Errorf("it is not UTF-8")
		}
		switch {
		case err != nil && len(faults) == api.MaxFaults:
			unlisted++
		case err != nil:
			faults = append(faults, api.Fault{Field: fmt.Sprintf("urls.%d", n), Message: err.Error()})
		}
		urls = append(urls, target)
	}
	if len(urls) > MaxURLs {
		return urls, api.Invalid(api.Fault{Field: "urls", Message: fmt.Sprintf("use at most %s URLs: there are %s", api.Count(MaxURLs), api.Count(len(urls)))})
	}
	if len(faults) > 0 {
		wrong = api.Invalid(faults...)
		wrong.More += unlisted
	}
	return urls, wrong
}

// checkListed returns what is wrong with a URL of a list that could be a target.
func checkListed(target string) error {
	u, _, err := urinorm.ParseWeb(target)
	switch {
	case err != nil || u.Host() == "":
		return fmt.Errorf("%q is no http or https URL", target)
	case strings.Contains(urinorm.Redact(target), ":***@"):
		return fmt.Errorf("it has a password, which everybody who sees the project could read")
	}
	return nil
}
