package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/option"
)

// help prints the help of a command: a line about the command, its usage, an explanation,
// examples, its commands, and its flags by group.
func help(cmd *cobra.Command, out io.Writer) {
	w := &helpWriter{out: out, width: helpWidth()}
	w.paragraph(0, cmd.Short)
	w.line("")
	w.line("usage: " + usageLine(cmd))
	for _, text := range paragraphs(cmd.Long) {
		w.line("")
		if strings.Contains(text, "\n") || strings.HasPrefix(text, " ") {
			w.line(text) // preformatted
			continue
		}
		w.paragraph(0, text)
	}
	if cmd.Example != "" {
		w.line("\nExamples:")
		for l := range strings.SplitSeq(strings.TrimSpace(cmd.Example), "\n") {
			w.line("  " + l)
		}
	}
	if listed := listedCommands(cmd); len(listed) > 0 {
		w.line("\nCommands:")
		for _, sub := range listed {
			w.entry("  "+sub.Name(), 14, sub.Short)
		}
	}
	for _, section := range flagSections(cmd) {
		w.line("\n" + section.title + ":")
		for _, f := range section.flags {
			w.entry("  "+f.Spelling(), 34, f.FullDoc())
		}
	}
	if cmd == cmd.Root() {
		w.line("")
		w.paragraph(0, "A switch --x is turned off by --no-x or --x=false. Durations: 500ms, 20s, 2m, 1h, 1d; sizes: 500kB, 10MiB. "+
			"Exit status: 0 no findings, 1 findings, 2 wrong usage or configuration, 3 the result is not reliable. "+
			"`orbweaver explain CODE` explains a code; `orbweaver man | man -l -` shows the manual; `orbweaver help TOPIC` prints a guide: "+strings.Join(topics(), ", ")+".")
	}
}

func usageLine(cmd *cobra.Command) string {
	if parent := cmd.Parent(); parent != nil {
		return parent.CommandPath() + " " + cmd.Use
	}
	return cmd.Use
}

// paragraphs splits a text at its blank lines.
func paragraphs(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.Trim(text, "\n"), "\n\n")
}

func listedCommands(cmd *cobra.Command) []*cobra.Command {
	var listed []*cobra.Command
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() && !sub.Hidden {
			listed = append(listed, sub)
		}
	}
	return listed
}

type flagSection struct {
	title string
	flags []*option.Flag
}

// flagSections returns the flags of a command by group: first the rows of the table, then
// the flags that the command defines by itself.
func flagSections(cmd *cobra.Command) []flagSection {
	rows := map[string]*option.Flag{}
	for _, f := range option.Of(commandBit(cmd)) {
		rows[f.Name] = f
	}
	var sections []flagSection
	seen := map[string]bool{}
	for _, g := range option.Groups {
		section := flagSection{title: string(g)}
		for _, f := range option.Of(commandBit(cmd)) {
			if f.Group == g {
				section.flags = append(section.flags, f)
				seen[f.Name] = true
			}
		}
		if section.flags != nil {
			sections = append(sections, section)
		}
	}
	others := flagSection{title: "Other flags"}
	if len(sections) == 0 {
		others.title = "Flags"
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && !seen[f.Name] {
			others.flags = append(others.flags, plainFlag(f))
		}
	})
	if others.flags != nil {
		sections = append(sections, others)
	}
	return sections
}

func commandBit(cmd *cobra.Command) option.Commands {
	switch cmd.Name() {
	case "orbweaver", "check", "test", "save":
		return option.Check
	case "explain":
		return option.Explain
	case "extract":
		return option.Extract
	case "report":
		return option.Report
	case "compare":
		return option.Compare
	case "history":
		return option.History
	case "fix":
		return option.Fix
	case "archive":
		return option.Archive
	}
	return 0
}

// plainFlag makes a row for a flag that is not in the table.
func plainFlag(f *pflag.Flag) *option.Flag {
	arg, doc := pflag.UnquoteUsage(f)
	row := &option.Flag{Name: f.Name, Short: f.Shorthand, Arg: strings.ToUpper(arg), Doc: doc, Initial: f.DefValue}
	if f.Value.Type() == "bool" {
		row.Arg, row.Initial = "", ""
	}
	if row.Initial == "[]" {
		row.Initial = ""
	}
	if f.Name == "help" {
		row.Doc = "print this help"
	}
	return row
}

// helpWidth returns the width of the help: the terminal's, within limits, or 80.
func helpWidth() int {
	if width, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil && width > 40 {
		return min(width, 110)
	}
	return 80
}

// helpWriter formats text in columns.
type helpWriter struct {
	out     io.Writer
	width   int
	entries func(term, text string) // gets the entries in place of out; nil for out
}

func (w *helpWriter) line(s string) {
	if w.entries == nil {
		fmt.Fprintln(w.out, s)
	}
}

// entry writes a term, and its explanation from the given column on.
func (w *helpWriter) entry(term string, column int, text string) {
	if w.entries != nil {
		w.entries(term, text)
		return
	}
	if n := utf8.RuneCountInString(term); n+2 <= column {
		lines := wrap(text, w.width-column)
		w.line(term + strings.Repeat(" ", column-n) + lines[0])
		for _, l := range lines[1:] {
			w.line(strings.Repeat(" ", column) + l)
		}
		return
	}
	w.line(term)
	w.paragraph(column, text)
}

func (w *helpWriter) paragraph(indent int, text string) {
	for _, l := range wrap(text, w.width-indent) {
		w.line(strings.Repeat(" ", indent) + l)
	}
}

// wrap breaks text at spaces into lines of at most width characters, except for longer
// words.
func wrap(text string, width int) []string {
	var lines []string
	line, length := "", 0
	for _, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		if length > 0 && length+1+n > width {
			lines = append(lines, line)
			line, length = "", 0
		}
		if length > 0 {
			line += " "
			length++
		}
		line += word
		length += n
	}
	return append(lines, line)
}
