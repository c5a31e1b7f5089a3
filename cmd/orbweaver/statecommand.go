package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/option"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/runs"
	"github.com/orbweaver/orbweaver/report"
	"github.com/orbweaver/orbweaver/urinorm"
)

// noContext is for reading a local file, which is never canceled.
var noContext = context.Background()

// command is the command that a crawl was started with, as it is stored with the crawl.
// For flags with a secret, only the name is stored.
type command struct {
	Version   string         `json:"version"`
	Directory string         `json:"directory"` // the working directory
	Targets   []string       `json:"targets"`
	Line      []option.Given `json:"flags"`
	Withheld  []string       `json:"withheld,omitempty"` // names of flags that were given but are not stored
	Listing   runs.Listing   `json:"listing,omitzero"`
	// Settings are those that must be the same for the whole crawl and differ from their
	// defaults, by the names of their flags, wherever they were set.
	Settings map[string][]string `json:"settings"`
}

func newCommand(s *settings, args []string) *command {
	c := &command{Version: version(), Settings: map[string][]string{}}
	for _, target := range args {
		hidden := target
		if isWebURL(target) {
			hidden = urinorm.Redact(target)
		}
		c.Targets = append(c.Targets, hidden)
		if hidden != target {
			c.withhold("user") // resume accepts it with --user
		}
		if strings.Contains(hidden, ":***@") {
			c.Settings["credentials"] = []string{"given"}
		}
	}
	c.Directory, _ = os.Getwd() // the run reports the error
	for _, f := range option.Of(option.Check) {
		texts := s.Texts(f)
		if !f.Changes() && !slices.Equal(texts, f.Default()) {
			c.Settings[f.Name] = texts
		}
	}
	if s.credentials() {
		c.Settings["credentials"] = []string{"given"}
	}
	for i := range s.rules {
		c.Settings["rule"] = append(c.Settings["rule"], s.rules[i].String())
	}
	for _, given := range s.Line {
		row := option.Named(option.Check, given.Name) // nil for a switch that is turned off
		switch {
		case given.Name == "state":
		case given.Name == "frontier":
			if !c.shared() { // the first one stands for all
				c.Line = append(c.Line, option.Given{Name: "frontier", Text: addressesToStore(frontierText(s))})
			}
		case row != nil && row.IsSecret(given.Text):
			c.withhold(given.Name)
		default:
			c.Line = append(c.Line, given)
		}
	}
	return c
}

// shared reports whether the crawl is shared with workers.
func (c *command) shared() bool {
	return slices.ContainsFunc(c.Line, func(f option.Given) bool { return f.Name == "frontier" })
}

// withhold notes that a flag is not stored.
func (c *command) withhold(name string) {
	if !slices.Contains(c.Withheld, name) {
		c.Withheld = append(c.Withheld, name)
	}
}

// String returns a rule without its secrets.
func (r *ruleBlock) String() string {
	b := fmt.Sprintf("match %q match_re %q accept %v verdict %q rate %q", r.match, r.matchRE, r.accept, r.verdict, r.rate)
	for _, name := range slices.Sorted(maps.Keys(r.header)) {
		b += " header " + name
	}
	return b
}

func (c *command) marshal() ([]byte, error) {
	text, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("store the command: %w", err)
	}
	return text, nil
}

// readCommand reads the command that a crawl was started with, nil if there is no crawl.
func readCommand(file interface {
	Value(name string) ([]byte, error)
}) (*command, error) {
	text, err := file.Value(storedCommand)
	if err != nil || text == nil {
		return nil, err
	}
	c := &command{}
	if err := json.Unmarshal(text, c); err != nil {
		return nil, fmt.Errorf("read the command that the crawl was started with: %w", err)
	}
	return c, nil
}

// local reports whether the meaning of the command depends on the working directory.
func (c *command) local() bool {
	return slices.ContainsFunc(c.Targets, func(t string) bool { return !isWebURL(t) && !isTreeURL(t) && t != "-" })
}

// differences lists the settings that would make another command a different crawl.
func (c *command) differences(now *command) []string {
	var lines []string
	if !slices.Equal(c.Targets, now.Targets) {
		lines = append(lines, fmt.Sprintf("targets: %s then, %s now", redactedList(c.Targets), redactedList(now.Targets)))
	}
	if c.Directory != now.Directory && c.local() {
		lines = append(lines, fmt.Sprintf("working directory: %s then, %s now", c.Directory, now.Directory))
	}
	names := map[string][]string{}
	maps.Copy(names, c.Settings)
	maps.Copy(names, now.Settings)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if then, now := c.Settings[name], now.Settings[name]; !slices.Equal(then, now) {
			lines = append(lines, fmt.Sprintf("%s: %s then, %s now", settingName(name), valueOf(name, then), valueOf(name, now)))
		}
	}
	return lines
}

// settingName returns the name of a setting as messages show it: that of a flag with its
// dashes.
func settingName(name string) string {
	if option.Named(option.Check, name) != nil {
		return "--" + name
	}
	return name
}

// valueOf formats the values of a setting for messages.
func valueOf(name string, texts []string) string {
	if len(texts) == 0 {
		switch f := option.Named(option.Check, name); {
		case f != nil && f.Initial != "":
			return f.Initial
		case f != nil && f.IsSwitch():
			return "false"
		}
		return "none"
	}
	return redactedList(texts)
}

// settings returns the settings of the command. Flags of the session replace those of the
// same name.
func (c *command) settings(session []option.Given) (*settings, error) {
	replaced := map[string]bool{}
	bare := func(name string) string { return strings.TrimPrefix(name, "no-") }
	for _, f := range session {
		replaced[bare(f.Name)] = true
	}
	cmd := &cobra.Command{}
	s := addFlags(cmd, option.Check)
	for _, f := range slices.Concat(c.Line, session) {
		if replaced[bare(f.Name)] && !slices.Contains(session, f) {
			continue
		}
		if err := cmd.Flags().Set(f.Name, f.Text); err != nil {
			return nil, usageError("--%s: %w", f.Name, err)
		}
	}
	if err := loadSettings(s); err != nil {
		return nil, err
	}
	return s, nil
}

// missing returns the secrets that the command was started with and that the settings
// lack.
func (c *command) missing(s *settings) []string {
	return slices.DeleteFunc(slices.Clone(c.Withheld), func(name string) bool { return s.Given(name) })
}

const maxListedValues = 5

// redactedList formats values without the passwords in them.
func redactedList(texts []string) string {
	shown := make([]string, 0, maxListedValues)
	for _, t := range texts[:min(len(texts), maxListedValues)] {
		shown = append(shown, urinorm.Redact(t))
	}
	if more := len(texts) - len(shown); more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(shown, ", "), more)
	}
	return strings.Join(shown, ", ")
}

// options returns the options of the command with the flags of a session, and the command
// that check would store for them.
func (c *command) options(session []option.Given) (*options, *command, error) {
	s, err := c.settings(session)
	if err != nil {
		return nil, nil, err
	}
	if missing := c.missing(s); len(missing) > 0 {
		return nil, nil, errNotStored(missing)
	}
	o, err := compile(s, option.Check)
	if err != nil {
		return nil, nil, usageError("%w", err)
	}
	o.given, o.listing = c, c.Listing
	return o, newCommand(s, c.Targets), nil
}

// words returns the command as it was given, for reports. Secrets are "***". The flags of evidence
// are left out: a report is the same with them, without them, and from a replay.
func (c *command) words() []string {
	words := append([]string{"orbweaver", "check"}, c.Targets...)
	for _, f := range c.Line {
		if !slices.Contains([]string{"evidence", "evidence-of", "evidence-max", "replay"}, f.Name) {
			words = append(words, wordOf(f))
		}
	}
	for _, name := range c.Withheld {
		words = append(words, "--"+name+"=***")
	}
	return words
}

func wordOf(given option.Given) string {
	if f := option.Named(option.Check, given.Name); f != nil && f.IsSwitch() && given.Text == "true" {
		return "--" + given.Name
	}
	return "--" + given.Name + "=" + urinorm.Redact(given.Text)
}

// listSettings returns the settings that differ from their defaults, for reports. Secrets
// are "***".
func (c *command) listSettings() []report.Setting {
	var list []report.Setting
	for _, name := range slices.Sorted(maps.Keys(c.Settings)) {
		row := option.Named(option.Check, name)
		texts := make([]string, len(c.Settings[name]))
		for i, text := range c.Settings[name] {
			if texts[i] = urinorm.Redact(text); row != nil && row.IsSecret(text) {
				texts[i] = "***"
			}
		}
		list = append(list, report.Setting{Name: name, Value: strings.Join(texts, ", ")})
	}
	return list
}

// inDirectory calls fn in the working directory of the command. If that no longer exists, and the
// command does not depend on it, fn is called in the current directory.
func (c *command) inDirectory(fn func() error) error {
	before, err := os.Getwd()
	if err != nil || c.Directory == "" || c.Directory == before {
		return fn()
	}
	if err := os.Chdir(c.Directory); err != nil {
		if c.local() {
			return usageError("change to the directory in which the crawl was started: %w", err)
		}
		return fn()
	}
	defer func() { _ = os.Chdir(before) }() // it existed before
	return fn()
}

// errNotStored returns the error for secrets that must be given again to resume a crawl.
func errNotStored(flags []string) error {
	what, them := "is", "it"
	if len(flags) > 1 {
		what, them = "are", "them"
	}
	return usageError("the crawl was started with --%s, which %s never stored: give %s again", strings.Join(flags, " and --"), what, them)
}
