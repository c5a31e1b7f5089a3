package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/urinorm"
)

// compiler reads settings one at a time and collects all errors, so that the user sees
// all mistakes at once.
type compiler struct {
	*settings
	faults []error
}

func (c *compiler) fail(name, text string, err error) {
	c.faults = append(c.faults, fmt.Errorf("%s: %q is not allowed: %w", c.named(name), withoutPassword(text), err))
}

// withoutPassword hides the password in a URL that was given to a flag. The URL may lack
// its scheme, as that of a proxy may.
func withoutPassword(text string) string {
	if strings.Contains(text, "//") {
		return urinorm.Redact(text)
	}
	return strings.TrimPrefix(urinorm.Redact("//"+text), "//")
}

// read parses one setting. An empty text gives the zero value.
func read[T any](c *compiler, name, text string, parse func(string) (T, error)) T {
	var none T
	if text == "" {
		if c.given(name) {
			c.fail(name, text, errors.New("it is empty"))
		}
		return none
	}
	v, err := parse(text)
	if err != nil {
		c.fail(name, text, err)
		return none
	}
	return v
}

// readAll parses each value of a list.
func readAll[T any](c *compiler, name string, texts []string, parse func(string) (T, error)) []T {
	var values []T
	for _, text := range texts {
		if text == "" {
			continue // it only drops the values of the configuration file
		}
		v, err := parse(text)
		if err != nil {
			c.fail(name, text, err)
			continue
		}
		values = append(values, v)
	}
	return values
}

// atLeast returns a parser for whole numbers with a lower limit.
func atLeast(least int) func(string) (int, error) {
	return func(s string) (int, error) { return parseCount(s, least) }
}

// checkWords reports settings with a value that is not in the list of allowed words.
func (c *compiler) checkWords(on commands) {
	for _, f := range flagsOn(on) {
		if field, ok := f.field(c.settings).(*string); ok && f.words != nil && !slices.Contains(f.words, *field) {
			c.fail(f.name, *field, oneOf(*field, f.words))
		}
	}
}
