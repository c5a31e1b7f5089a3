package migrate

import (
	"strings"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/lazy"
)

// proofed matches a call of html-proofer in a program of Ruby, and shelled one of a command.
var (
	proofed = lazy.Regexp(`\bHTML::?Proofer\.(?:check_\w+|new)\(|\bHTMLProofer\.(?:check_\w+|new)\(`)
	shelled = lazy.Regexp(`(?m)(?:^|[ \t;{])(?:sh|system)[ (]+`)
	keyNext = lazy.Regexp(`^(?::?\w+\s*=>|\w+:[^:]|["'])`)
)

// readRakefile reads the options that a program of Ruby calls html-proofer with, and the
// commands that it runs.
func readRakefile(c *Config, text []byte) error {
	variables, err := assignments(string(text), false)
	if err != nil {
		return err
	}
	for _, m := range proofed().FindAllIndex(text, maxCommands) {
		c.ran("html-proofer")
		l := &literals{rest: string(text[m[1]:min(len(text), m[1]+maxCall)]), variables: variables, depth: 1}
		for _, t := range texts(l.value()) {
			c.addTarget(strings.TrimPrefix(t, "./"))
		}
		l.blanks()
		if !l.take(",") {
			continue
		}
		l.blanks()
		var options any
		if keyNext().MatchString(l.rest) {
			options = l.table(")")
		} else {
			options = l.value()
		}
		if table, ok := options.(map[string]any); ok {
			c.carryStatic(htmlProoferRows, table)
		} else {
			c.skip("the options of HTMLProofer", computedReason)
		}
	}
	for _, m := range shelled().FindAllIndex(text, maxCommands) {
		l := &literals{rest: string(text[m[1]:min(len(text), m[1]+maxCall)]), variables: variables}
		for _, command := range texts(l.one()) {
			readScript(c, command)
		}
	}
	return nil
}

// maxCall limits the bytes of a call with its options.
const maxCall = 64 << 10
