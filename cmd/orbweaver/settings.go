package main

import (
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/option"
	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/inspect"
)

// settings are flags and configuration as text, before they are interpreted. A flag and
// its key in the configuration file have the same name. compile interprets them, in one place that
// can report mistakes.
type settings struct {
	*option.Values

	content *inspect.ContentRules // the [[content]] blocks, nil without one
	// foundConfig is set if the configuration file was found and not named.
	foundConfig bool
	// found has the number of values that such a file gave, by the names of their keys. They
	// are the first values of a list.
	found map[string]int

	// fileExcludes is the number of patterns of exclude that a configuration file gave, which come first.
	fileExcludes int

	// rules are the [[rule]] blocks of the configuration file.
	rules []ruleBlock
	// plugins are its [[plugin]] blocks, and expanded are the environment variables that it
	// reads.
	plugins  []inspect.Plugin
	expanded []string
	// logins are its [[login]] blocks.
	logins []loginBlock
	// blocks are its blocks as written, by name.
	blocks map[string][]map[string]any
}

// parseLevel parses a level. Plugins of the configuration have codes of their own.
func (s *settings) parseLevel(text string) (check.LevelRule, error) {
	names := make([]string, len(s.plugins))
	for i := range s.plugins {
		names[i] = s.plugins[i].Name
	}
	return check.ParseLevel(text, names...)
}

// credentials reports whether requests to the internal hosts are authenticated, or carry
// cookies or headers of the user.
func (s *settings) credentials() bool {
	return s.Text("user") != "" || s.On("netrc") || s.Text("client-cert") != "" || len(s.List("header")) > 0 || s.Text("cookies") != "" || s.signsIn()
}

func (s *settings) signsIn() bool { return s.Text("login") != "" || len(s.logins) > 0 }

// hides returns which settings of a run come from a configuration that was found, or nil if there
// is none.
func (s *settings) hides() *crawler.Hides {
	if !s.foundConfig {
		return nil
	}
	// An empty value of a list only drops others.
	given := func(name string, values []string) (n int) {
		for _, value := range values[:min(s.found[name], len(values))] {
			if value != "" {
				n++
			}
		}
		return n
	}
	return &crawler.Hides{Exclude: given("exclude", s.List("exclude")), IgnoreFragment: given("ignore-fragment", s.List("ignore-fragment")), Levels: given("level", s.List("level")),
		Remaps: given("remap", s.List("remap")), Select: s.found["select"]+s.found["ignore-select"] > 0,
		SkipReserved: s.found["skip-reserved"] > 0, Accept: s.found["accept"] > 0, Rules: len(s.rules) > 0}
}
