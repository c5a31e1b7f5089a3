package main

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/quantity"
	"github.com/orbweaver/orbweaver/crawler/inspect"
	"github.com/orbweaver/orbweaver/crawler/store"
	"github.com/orbweaver/orbweaver/report"
)

func compileChecks(c *compiler, o *options) {
	s, k := c.settings, &o.checks
	if len(s.List("check")) > 0 || s.Origin("check") == "--check" { // a file may have an empty list, a command line forgot the groups
		k.Groups = read(c, "check", inspect.ParseGroups)
	}
	k.SyntaxMax = read(c, "syntax-max", atLeast(1))
	k.ImageMax = read(c, "image-max", quantity.ParseSize)
	k.VirusMax = read(c, "virus-max", quantity.ParseSize)
	k.VirusTimeout = read(c, "virus-timeout", quantity.ParseDuration)
	k.VirusAll = s.Text("virus-scope") == "all"
	k.Clamd = read(c, "clamd", inspect.ParseClamd)
	k.Validator, k.Tidy = read(c, "validator", func(text string) (string, error) { return text, nil }), s.On("tidy")
	k.Content, k.Edition = s.content, edition()
	k.Plugins = slices.Clone(s.plugins)
	for i := range k.Plugins {
		k.Plugins[i].Env = childEnvironment(os.Environ(), s.expanded)
	}
	for _, needs := range []struct {
		groups inspect.Groups
		what   string
		flags  []string
	}{
		{inspect.Virus, "--check virus", []string{"clamd", "virus-scope", "virus-max", "virus-timeout"}},
		{inspect.HTML | inspect.CSS, "--check html or --check css", []string{"validator", "tidy", "syntax-max"}},
		{inspect.Images, "--check images", []string{"image-max"}},
	} {
		for _, name := range needs.flags {
			c.refuse(s.Given(name) && !k.Groups.Has(needs.groups), name, "it needs %s", needs.what)
		}
	}
}

// openInspector opens what looks at the content of pages; nil if nothing does. Its errors are
// usage errors.
func openInspector(ctx context.Context, o *options, console *console) (*inspect.Inspector, error) {
	for i := range o.checks.Plugins {
		o.checks.Plugins[i].Stderr = console
	}
	inspector, err := inspect.Open(ctx, o.checks)
	if err != nil {
		return nil, usageError("%w", err)
	}
	for _, note := range inspector.Notes(time.Now()) {
		console.notef("%s", note)
	}
	return inspector, nil
}

// programs is what reports tell of the programs that check content. A state keeps it.
type programs struct {
	Clamd string        `json:"clamd,omitempty"` // version
	Codes []report.Code `json:"codes,omitempty"` // that plugins declared
}

func programsOf(inspector *inspect.Inspector) *programs {
	p := &programs{Clamd: inspector.ClamdVersion()}
	for _, d := range inspector.Declared() {
		p.Codes = append(p.Codes, report.Code{Code: d.Code, Title: d.Title, Severity: d.Verdict, Advice: d.Advice})
	}
	return p
}

// usedPrograms returns what a state keeps of the programs that its crawl used.
func usedPrograms(file *store.File) (*programs, error) {
	p := &programs{}
	value, err := file.Value(storedPrograms)
	if err == nil && value != nil {
		err = json.Unmarshal(value, p)
	}
	if err != nil {
		return nil, usageError("read the programs of a crawl: %w", err)
	}
	return p, nil
}
