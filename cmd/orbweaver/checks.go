package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/crawler/inspect"
	"github.com/orbweaver/orbweaver/crawler/inspect/clamd"
)

// compileChecks reads the flags of content checks.
func compileChecks(c *compiler, o *options) {
	s, k := c.settings, &o.checks
	if len(s.check) > 0 {
		k.Groups = read(c, "check", strings.Join(s.check, ","), inspect.ParseGroups)
	}
	k.SyntaxMax = read(c, "syntax-max", s.syntaxMax, atLeast(1))
	k.ImageMax = read(c, "image-max", s.imageMax, parseSize)
	k.VirusMax = read(c, "virus-max", s.virusMax, parseSize)
	k.VirusTimeout = read(c, "virus-timeout", s.virusTimeout, parseDuration)
	k.VirusAll = s.virusScope == "all"
	k.Clamd = read(c, "clamd", s.clamd, clamd.ParseAddress)
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
			if s.given(name) && !k.Groups.Has(needs.groups) {
				c.faults = append(c.faults, fmt.Errorf("%s: it needs %s", c.named(name), needs.what))
			}
		}
	}
}

// openInspector opens what looks at the content of pages; nil if nothing does. Its errors are
// usage errors.
func openInspector(ctx context.Context, o *options, console *console) (*inspect.Inspector, error) {
	inspector, err := inspect.Open(ctx, o.checks)
	if err != nil {
		return nil, usageError("%w", err)
	}
	for _, note := range inspector.Notes(time.Now()) {
		console.notef("%s", note)
	}
	return inspector, nil
}
