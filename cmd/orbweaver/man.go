package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

func newManCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "man",
		Short:   "print the manual page as roff",
		Example: "orbweaver man | man -l -\norbweaver man > /usr/local/share/man/man1/orbweaver.1",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return writeMan(cmd.OutOrStdout(), newRoot())
		},
	}
}

// writeMan writes the manual page of the whole program, from the same rows and texts as
// the help.
func writeMan(out io.Writer, root *cobra.Command) error {
	m := &roff{}
	m.raw(fmt.Sprintf(`.TH ORBWEAVER 1 "" "orbweaver %s" "User Commands"`, version()))
	m.section("NAME")
	m.text("orbweaver - " + root.Short)
	m.section("SYNOPSIS")
	m.raw(".nf")
	m.text(usageLine(root))
	for _, sub := range listedCommands(root) {
		if sub.Name() != "check" {
			m.text(usageLine(sub))
		}
	}
	m.raw(".fi")
	m.section("DESCRIPTION")
	m.block(root.Long)
	m.section("OPTIONS")
	m.options(root)
	m.section("COMMANDS")
	for _, sub := range listedCommands(root) {
		m.raw(".SS " + roffText(sub.Name()))
		m.text(sub.Short + ".")
		if sub.Name() == "check" {
			m.raw(".PP")
			m.text("The default command; its flags are listed above.")
			continue
		}
		if sub.Long != "" {
			m.raw(".PP")
			m.block(sub.Long)
		}
		for _, subsub := range listedCommands(sub) {
			m.entry(usageLine(subsub), subsub.Short)
		}
		m.options(sub)
	}
	m.section("CONFIGURATION")
	m.block(configHelp)
	m.section("EXIT STATUS")
	for _, row := range exitTable {
		m.entry(fmt.Sprint(row.code), row.meaning)
	}
	m.section("ENVIRONMENT")
	for _, row := range environment {
		m.entry(row.name, row.meaning)
	}
	m.section("EXAMPLES")
	m.raw(".nf")
	m.text(root.Example)
	m.raw(".fi")
	_, err := io.WriteString(out, m.String())
	return err
}

// environment lists the environment variables that are read.
var environment = []struct{ name, meaning string }{
	{"HTTP_PROXY, HTTPS_PROXY, NO_PROXY", "The proxy to use, and the hosts to connect to without it, if --proxy is not given."},
	{"NO_COLOR, CLICOLOR, CLICOLOR_FORCE", "Turn colors off (NO_COLOR with any value, CLICOLOR=0) or on (CLICOLOR_FORCE) if --color is auto."},
	{passwordVariable, "The password of --login, if --login-password-file is not given."},
	{archiveKeyVariable, "The KEY:SECRET of archive, if --archive-key-file is not given."},
	{frontierVariable, "The address of --frontier env, and of resume and worker."},
	{"NETRC", "The netrc file to read instead of ~/.netrc."},
}

// configHelp describes the configuration file.
const configHelp = `Settings are read from orbweaver.toml in the working directory, or from the file that --config names. Every long flag of check is a key. Its value is a string or number, true or false for a switch, or an array for a flag that may be repeated. The command line takes precedence; for a flag that may be repeated, its values are added to those of the file, and an empty value drops those of the file. Unknown keys are errors.

Rules for single URLs are [[rule]] blocks; the first rule that matches applies:

[[rule]]
match   = "https://intranet.example.com/**"   # glob on the printed URL; or match_re
accept  = [403]                                # statuses that count as ok
verdict = "unverified"                         # or ignore, broken
header  = {Authorization = "Bearer ${TOKEN}"}  # environment variables are expanded
rate    = "2/s"`

// roff collects the lines of a manual page.
type roff struct{ strings.Builder }

func (m *roff) raw(line string) { m.WriteString(line + "\n") }

func (m *roff) section(title string) { m.raw(".SH " + roffText(title)) }

func (m *roff) text(s string) { m.raw(roffText(s)) }

// block writes paragraphs. Paragraphs with indented or tabular lines are not reformatted.
func (m *roff) block(s string) {
	for i, paragraph := range paragraphs(s) {
		if i > 0 {
			m.raw(".PP")
		}
		if strings.Contains(paragraph, "\n") || strings.HasPrefix(paragraph, " ") {
			m.raw(".nf")
			m.text(paragraph)
			m.raw(".fi")
			continue
		}
		m.text(paragraph)
	}
}

func (m *roff) entry(term, text string) {
	m.raw(".TP")
	m.raw(`\fB` + roffText(term) + `\fR`)
	m.text(text)
}

func (m *roff) options(cmd *cobra.Command) {
	for _, section := range flagSections(cmd) {
		m.raw(".PP")
		m.raw(`\fI` + roffText(section.title) + `\fR`)
		for _, f := range section.flags {
			m.entry(strings.TrimSpace(f.Spelling()), f.FullDoc()+".")
		}
	}
}

var roffEscapes = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n.", "\n\\&.", "\n'", "\n\\&'")

// roffText escapes characters that have a meaning in roff.
func roffText(s string) string {
	s = roffEscapes.Replace(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		s = `\&` + s
	}
	return s
}
