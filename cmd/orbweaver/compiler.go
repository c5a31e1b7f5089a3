package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/urinorm"
)

// compiler reads settings one at a time and keeps every fault it meets, so that
// a user with three mistakes is told of three.
type compiler struct {
	*settings
	faults []error
}

func (c *compiler) fail(name, text string, err error) {
	c.faults = append(c.faults, fmt.Errorf("%s: %q is not allowed: %w", c.named(name), withoutPassword(text), err))
}

// withoutPassword hides the password of a URL that a flag was given, also where the
// scheme is left out, as it may be of a proxy's.
func withoutPassword(text string) string {
	if strings.Contains(text, "//") {
		return urinorm.Redact(text)
	}
	return strings.TrimPrefix(urinorm.Redact("//"+text), "//")
}

// read parses the text of one setting; an empty text leaves the zero value.
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

// readAll parses each text of a list.
func readAll[T any](c *compiler, name string, texts []string, parse func(string) (T, error)) []T {
	var values []T
	for _, text := range texts {
		if text == "" {
			continue // it only drops what the file gave
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

// atLeast reads a whole number.
func atLeast(least int) func(string) (int, error) {
	return func(s string) (int, error) { return parseCount(s, least) }
}

// checkWords finds settings that allow only certain words and have another.
func (c *compiler) checkWords(on commands) {
	for _, f := range flagsOn(on) {
		if field, ok := f.at(c.settings).(*string); ok && f.words != nil && !slices.Contains(f.words, *field) {
			c.fail(f.name, *field, oneOf(*field, f.words))
		}
	}
}
