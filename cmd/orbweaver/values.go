package main

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/check"
)

// The functions in this file parse the text of one flag. Their errors tell only what is
// allowed; the caller adds the flag and the text.

// parseCount parses a whole number that is at least least.
func parseCount(s string, least int) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < least {
		return 0, fmt.Errorf("use a whole number, %d or more", least)
	}
	return n, nil
}

// parseShare parses a part of something, over 0 to 1.
func parseShare(s string) (float64, error) {
	if n, err := strconv.ParseFloat(s, 64); err == nil && n > 0 && n <= 1 {
		return n, nil
	}
	return 0, errors.New("use a number over 0, at most 1, such as 0.5")
}

var errStatuses = errors.New("use HTTP statuses and ranges from 100 to 999, such as 403,500-599")

// parseStatuses parses a list of statuses and inclusive ranges.
func parseStatuses(s string) (*check.Statuses, error) {
	set := &check.Statuses{}
	for part := range strings.SplitSeq(s, ",") {
		first, last, found := strings.Cut(strings.TrimSpace(part), "-")
		if !found {
			last = first
		}
		from, err1 := strconv.Atoi(first)
		to, err2 := strconv.Atoi(last)
		if err1 != nil || err2 != nil || set.Add(from, to) != nil {
			return nil, errStatuses
		}
	}
	return set, nil
}

func parsePattern(s string) (*regexp.Regexp, error) {
	re, err := regexp.Compile(s)
	if err == nil {
		return re, nil
	}
	cause := err.Error()
	if bad, ok := errors.AsType[*syntax.Error](err); ok {
		cause = bad.Code.String()
		if bad.Expr != "" && bad.Expr != s {
			cause += " in " + bad.Expr
		}
	}
	return nil, fmt.Errorf("use a regular expression: %s", cause)
}

// parseHeader reads "Name: value". Errors do not repeat the value, which may be a secret.
func parseHeader(s string) (name, value string, err error) {
	name, value, found := strings.Cut(s, ":")
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	switch {
	case !found:
		return "", "", errors.New("use 'Name: value'")
	case !httpguts.ValidHeaderFieldName(name):
		return "", "", fmt.Errorf("%q is not a valid name of a header field", name)
	case !httpguts.ValidHeaderFieldValue(value):
		return "", "", fmt.Errorf("the value of %s contains control characters", name)
	}
	switch http.CanonicalHeaderKey(name) {
	case "Host", "Content-Length", "Transfer-Encoding", "Connection", "Accept-Encoding":
		return "", "", fmt.Errorf("%s is set automatically and cannot be given", name)
	}
	return name, value, nil
}

// renderModes are the values of --render, and of render in a [[rule]].
var renderModes = map[string]crawler.RenderMode{"never": crawler.RenderNever, "auto": crawler.RenderAuto, "always": crawler.RenderAlways}

// renderModeNames are their names, in order.
var renderModeNames = []string{"never", "auto", "always"}
