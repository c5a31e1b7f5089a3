package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/option"
	"github.com/orbweaver/orbweaver/urinorm"
)

// compiler reads settings one at a time and collects all errors, so that the user sees
// all mistakes at once.
type compiler struct {
	*settings
	faults []error
}

// refuse adds a fault of a setting if a condition holds.
func (c *compiler) refuse(wrong bool, name, format string, args ...any) {
	if wrong {
		c.faults = append(c.faults, fmt.Errorf("%s: %w", c.Named(name), fmt.Errorf(format, args...)))
	}
}

func (c *compiler) fail(name, text string, err error) {
	c.faults = append(c.faults, fmt.Errorf("%s: %q is not allowed: %w", c.Named(name), withoutPassword(text), err))
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
func read[T any](c *compiler, name string, parse func(string) (T, error)) T {
	return readText(c, name, c.Text(name), parse)
}

func readText[T any](c *compiler, name, text string, parse func(string) (T, error)) T {
	var none T
	if text == "" {
		if c.Given(name) {
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

// maxFaults limits the faults of one list, which may come from a stranger: some are slow to explain.
const maxFaults = 100

// readAll parses each value of a list.
func readAll[T any](c *compiler, name string, parse func(string) (T, error)) []T {
	var values []T
	faults := 0
	for _, text := range c.List(name) {
		if text == "" {
			continue // it only drops the values of the configuration file
		}
		v, err := parse(text)
		if err != nil {
			c.fail(name, text, err)
			if faults++; faults == maxFaults {
				return nil
			}
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
func (c *compiler) checkWords(on option.Commands) {
	for _, f := range option.Of(on) {
		if text := c.Text(f.Name); f.Many == option.Once && f.Words != nil && !slices.Contains(f.Words, text) {
			c.fail(f.Name, text, oneOf(text, f.Words))
		}
	}
}
