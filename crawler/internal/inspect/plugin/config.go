package plugin

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/inspect/page"
)

// Defaults of a Config.
const (
	DefaultWorkers = 1
	DefaultTimeout = 10 * time.Second
	DefaultMaxBody = 2 << 20
)

// Greatest values of a Config.
const (
	MaxWorkers = 64
	MaxMaxBody = 64 << 20 // bytes
)

var defaultTypes = []string{"text/html", "application/xhtml+xml"}

// Config describes a plugin: a [[plugin]] of the configuration.
type Config struct {
	// Name consists of a-z, 0-9 and hyphens. The codes of the plugin begin with it and a hyphen.
	Name string
	// Command is the program and its arguments. It is looked up in PATH and runs in our
	// working directory, without a shell.
	Command []string
	// Match selects the pages that the plugin checks.
	Match page.Glob
	// Types are the media types of the pages that it checks; HTML and XHTML if there are none.
	Types   []string
	Workers int           // processes, DefaultWorkers if 0
	Timeout time.Duration // for each answer, DefaultTimeout if 0
	MaxBody int           // bytes of a document that are sent, DefaultMaxBody if 0
	// Config is sent to the program as it is: the table [plugin.config].
	Config map[string]any
	// Env is the whole environment of the program.
	Env []string
	// Stderr receives each line of the program's standard error, with the plugin's name and
	// a colon before it, in one Write. One goroutine at a time uses it. The lines are cut after
	// 4,096 bytes and may contain control characters. Without it they are dropped.
	Stderr io.Writer
}

// Validate reports what is wrong with the plugins of a configuration, nil if nothing is.
// The message names the plugin and the key.
func Validate(configs []Config) error {
	var faults []error
	seen := map[string]bool{}
	for i, c := range configs {
		fault := func(key, format string, args ...any) {
			faults = append(faults, fmt.Errorf("plugin %q: %s: %s", c.Name, key, fmt.Sprintf(format, args...)))
		}
		switch {
		case c.Name == "":
			fault("name", "missing in [[plugin]] number %d", i+1)
		case !isName(c.Name):
			fault("name", "only a-z, 0-9 and hyphens are allowed")
		case seen[c.Name]:
			fault("name", "used twice")
		}
		seen[c.Name] = true
		if len(c.Command) == 0 || c.Command[0] == "" {
			fault("command", "missing: a list of the program and its arguments")
		}
		if slices.ContainsFunc(c.Command, func(s string) bool { return strings.ContainsRune(s, 0) }) {
			fault("command", "contains a NUL character")
		}
		for _, t := range c.Types {
			if kind, sub, ok := strings.Cut(t, "/"); !ok || kind == "" || sub == "" || strings.ContainsAny(t, "; ") {
				fault("type", "%q is not a media type without parameters, such as text/html", t)
			}
		}
		if c.Workers < 0 || c.Workers > MaxWorkers {
			fault("workers", "%d is not a number from 1 to %d", c.Workers, MaxWorkers)
		}
		if c.Timeout < 0 {
			fault("timeout", "%v is not a positive duration", c.Timeout)
		}
		if c.MaxBody < 0 || c.MaxBody > MaxMaxBody {
			fault("max-body", "%d is not a size from 1 to %d bytes", c.MaxBody, MaxMaxBody)
		}
		if _, err := json.Marshal(c.Config); err != nil {
			fault("config", "cannot be written as JSON: %v", err)
		}
	}
	return errors.Join(faults...)
}

// isName reports whether s consists of the characters that names of plugins and codes have.
func isName(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// withDefaults returns the config with all values set.
func (c Config) withDefaults() Config {
	if len(c.Types) == 0 {
		c.Types = defaultTypes
	}
	if c.Workers == 0 {
		c.Workers = DefaultWorkers
	}
	if c.Timeout == 0 {
		c.Timeout = DefaultTimeout
	}
	if c.MaxBody == 0 {
		c.MaxBody = DefaultMaxBody
	}
	if c.Config == nil {
		c.Config = map[string]any{} // {} in JSON
	}
	return c
}

// wants reports whether the plugin checks a page.
func (c *Config) wants(p *page.Page) bool { return c.reads(p.ContentType) && c.Match.Match(p) }

func (c *Config) reads(contentType string) bool {
	return slices.ContainsFunc(c.Types, func(t string) bool { return strings.EqualFold(t, contentType) })
}
