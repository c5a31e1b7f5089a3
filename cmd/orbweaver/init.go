package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/migrate"
)

func newInitCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "init [flags]",
		Short: "write a commented orbweaver.toml, optionally from another checker's configuration",
		Long: "The file lists every setting with its meaning and its default, commented out. With --from, it also sets what another link checker's file asks for: " +
			strings.Join(migrate.Files(), ", ") + ". Settings that cannot be imported are listed on standard error and in the file.",
		Example: `orbweaver init
orbweaver init --from lychee.toml --from .lycheeignore
orbweaver init --from linkcheckerrc -o -`,
		Args: cobra.NoArgs,
	}
	var from []string
	var file string
	var force bool
	cmd.Flags().StringArrayVar(&from, "from", nil, "import the settings of another link checker's `FILE` (repeatable)")
	cmd.Flags().StringVarP(&file, "output", "o", configName, "write to `FILE`; - is standard output")
	cmd.Flags().BoolVar(&force, "force", false, "replace an existing file")
	cmd.SetFlagErrorFunc(flagError)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		carried, err := readImports(from)
		if err != nil {
			return usageError("%w", err)
		}
		text, err := initText(carried)
		if err != nil {
			return usageError("%w", err)
		}
		if file == "-" {
			_, err = io.WriteString(cmd.OutOrStdout(), text)
		} else {
			err = writeNew(file, text, force)
		}
		if err != nil {
			return usageError("%w", err)
		}
		return printImport(cmd.ErrOrStderr(), carried, file)
	}
	return cmd
}

// writeNew writes a file. The file must not exist, unless force is set.
func writeNew(file, text string, force bool) error {
	mode := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if force {
		mode = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	f, err := os.OpenFile(file, mode, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("write %s: it already exists; --force replaces it, -o names another file", file)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", file, withoutPath(err))
	}
	_, err = io.WriteString(f, text)
	return errors.Join(err, f.Close())
}

// readImports reads the configuration files of other programs and merges them.
func readImports(files []string) (*migrate.Config, error) {
	all := &migrate.Config{}
	for _, name := range files {
		info, err := os.Stat(name)
		if err == nil && info.Size() > migrate.MaxSize {
			err = fmt.Errorf("it is larger than %d bytes", migrate.MaxSize)
		}
		var text []byte
		if err == nil {
			text, err = os.ReadFile(name)
		}
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, withoutPath(err))
		}
		c, err := migrate.Read(name, text)
		if err != nil {
			return nil, err
		}
		for i := range c.Skipped {
			c.Skipped[i].Option = name + ": " + c.Skipped[i].Option
		}
		merge(all, c)
	}
	dropUnknown(all)
	return all, nil
}

// merge adds the settings of another file, which take precedence.
func merge(all, c *migrate.Config) {
	for _, s := range c.Settings {
		at := slices.IndexFunc(all.Settings, func(have migrate.Setting) bool { return have.Key == s.Key })
		switch {
		case at < 0:
			all.Settings = append(all.Settings, s)
		case configRows()[s.Key].many == list:
			all.Settings[at].Values = append(all.Settings[at].Values, s.Values...)
		default:
			all.Settings[at] = s
		}
	}
	all.Rules = append(all.Rules, c.Rules...)
	for _, r := range c.Content {
		all.Content = slices.DeleteFunc(all.Content, func(have migrate.ContentRule) bool { return have.Name == r.Name })
		all.Content = append(all.Content, r)
	}
	all.Skipped = append(all.Skipped, c.Skipped...)
	all.Targets = append(all.Targets, c.Targets...)
}

// dropUnknown moves settings that our flags do not accept to those that were not
// imported.
func dropUnknown(c *migrate.Config) {
	rows := configRows()
	c.Settings = slices.DeleteFunc(c.Settings, func(s migrate.Setting) bool {
		row, known := rows[s.Key]
		if known && (len(row.words) == 0 || slices.Contains(row.words, s.Values[0])) {
			return false
		}
		c.Skipped = append(c.Skipped, migrate.Skipped{Option: s.Key + " = " + s.Values[0], Reason: "Orbweaver has no such setting"})
		return true
	})
}

// printImport prints what was imported and what was not.
func printImport(w io.Writer, c *migrate.Config, file string) error {
	if file != "-" {
		fmt.Fprintf(w, "wrote %s", file)
		if n := len(c.Settings) + len(c.Rules) + len(c.Content); n > 0 {
			fmt.Fprintf(w, ": %s imported, %d not", counted(n, "setting"), len(c.Skipped))
		}
		fmt.Fprintln(w)
	}
	for _, l := range c.Skipped {
		fmt.Fprintf(w, "not imported: %s: %s\n", l.Option, l.Reason)
	}
	if len(c.Targets) > 0 {
		fmt.Fprintf(w, "run: orbweaver %s\n", strings.Join(c.Targets, " "))
	}
	return nil
}

// initText returns the configuration file: every key with its explanation, and values for
// those that were imported. It checks that the file is valid.
func initText(c *migrate.Config) (string, error) {
	var b strings.Builder
	b.WriteString(initHead)
	for _, l := range c.Skipped {
		comment(&b, "", "Not imported: "+l.Option+": "+l.Reason+".")
	}
	set := map[string]migrate.Setting{}
	for _, s := range c.Settings {
		set[s.Key] = s
	}
	for _, g := range groups {
		first := true
		for _, row := range flagsOn(onCheck) {
			if row.group != g || g == config {
				continue
			}
			if first {
				fmt.Fprintf(&b, "\n#### %s\n", g)
				first = false
			}
			writeKey(&b, &row, set[row.name])
		}
	}
	writeRules(&b, c.Rules)
	writeContent(&b, c.Content)
	text := b.String()
	s := &settings{origin: map[string]string{}}
	if err := applyConfig(s, &configFile{name: "the new " + configName, env: os.LookupEnv}, text); err != nil {
		return "", err
	}
	return text, nil
}

const initHead = `# Configuration of orbweaver. Every long flag of ` + "`orbweaver check`" + ` is a key; the command line takes precedence.
# Patterns are regular expressions (RE2) on the URL as it is printed; ` + "`orbweaver explain URL`" + ` shows that form.
# Keys that a stranger could misuse, such as proxy, and ${NAME} need --config orbweaver.toml: a file that was only found may come from anyone.
`

// writeKey writes one key, with its value or commented out with its default or an
// example.
func writeKey(b *strings.Builder, row *flag, s migrate.Setting) {
	doc := strings.ToUpper(row.doc[:1]) + row.doc[1:]
	if len(row.words) > 0 && !strings.Contains(doc, row.words[len(row.words)-1]) {
		doc += " (" + strings.Join(row.words, ", ") + ")"
	}
	b.WriteByte('\n')
	comment(b, "", doc+".")
	if s.Note != "" {
		comment(b, "", "Imported: "+s.Note+".")
	}
	if s.Values == nil {
		fmt.Fprintf(b, "# %s = %s\n", row.name, row.sample())
		return
	}
	switch {
	case s.Switch:
		fmt.Fprintf(b, "%s = %s\n", row.name, s.Values[0])
	case row.many == list:
		fmt.Fprintf(b, "%s = [\n", row.name)
		for _, v := range s.Values {
			fmt.Fprintf(b, "  %s,\n", tomlString(row, v))
		}
		b.WriteString("]\n")
	default:
		fmt.Fprintf(b, "%s = %s\n", row.name, tomlString(row, s.Values[0]))
	}
}

// sample returns the default of a row as TOML, or a placeholder.
func (f *flag) sample() string {
	if f.isSwitch() {
		return "false"
	}
	value := f.initial
	if value == "" {
		value = f.arg
	}
	if _, err := strconv.Atoi(value); err == nil {
		return value
	}
	if f.many == list {
		return "[" + tomlString(nil, value) + "]"
	}
	return tomlString(nil, value)
}

// tomlString quotes a string. If environment variables are expanded in it, a literal ${
// is escaped.
func tomlString(row *flag, s string) string {
	if row != nil && row.expands() {
		s = strings.ReplaceAll(s, "${", "$${")
	}
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r == '\'' || r < ' ' || r == 0x7f }) && strings.ContainsAny(s, `\"`) {
		return "'" + s + "'"
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// comment writes text as comment lines. Line breaks in it are replaced by spaces.
func comment(b *strings.Builder, indent, text string) {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, text)
	for _, l := range wrap(text, 98) {
		b.WriteString(indent + "# " + l + "\n")
	}
}

const initRules = `
#### Rules for single URLs; the first rule that matches applies
#
# [[rule]]
# match   = "https://intranet.example.com/**"   # glob on the URL as it is printed; or match_re
# accept  = [403]                                # statuses that count as ok
# verdict = "unverified"                         # or ignore, broken
# header  = {Authorization = "Bearer ${TOKEN}"}  # environment variables are expanded
# rate    = "2/s"
`

func writeRules(b *strings.Builder, rules []migrate.Rule) {
	b.WriteString(initRules)
	for _, r := range rules {
		fmt.Fprintf(b, "\n[[rule]]\nmatch_re = %s\n", tomlString(nil, r.MatchRE))
		if r.Accept != nil {
			quoted := make([]string, len(r.Accept))
			for i, a := range r.Accept {
				quoted[i] = tomlString(nil, a)
			}
			fmt.Fprintf(b, "accept = [%s]\n", strings.Join(quoted, ", "))
		}
		if r.Verdict != "" {
			fmt.Fprintf(b, "verdict = %s\n", tomlString(nil, r.Verdict))
		}
		if r.Rate != "" {
			fmt.Fprintf(b, "rate = %s\n", tomlString(nil, r.Rate))
		}
		if r.Header != nil {
			b.WriteString("[rule.header]\n")
			for _, name := range slices.Sorted(maps.Keys(r.Header)) {
				fmt.Fprintf(b, "%s = %s\n", tomlString(nil, name), tomlString(nil, strings.ReplaceAll(r.Header[name], "${", "$${")))
			}
		}
	}
}

const initContent = `
#### Rules for the content of pages; each one that matches a page applies
#
# [[content]]
# name  = "no-drafts"                      # findings have the code content-no-drafts
# match = "/docs/**"                       # glob on the path, or on the URL as it is printed
# not   = ["lorem ipsum", "re:TODO|FIXME"] # strings in any case, or regular expressions (RE2)
# must  = "Copyright"
# in    = "text"                           # or source, title, css:SELECTOR, header:NAME
# level = "warning"                        # or broken, unverified, info, off
`

func writeContent(b *strings.Builder, rules []migrate.ContentRule) {
	b.WriteString(initContent)
	for _, r := range rules {
		fmt.Fprintf(b, "\n[[content]]\nname = %s\n", tomlString(nil, r.Name))
		quoted := make([]string, len(r.Not))
		for i, s := range r.Not {
			quoted[i] = tomlString(nil, s)
		}
		fmt.Fprintf(b, "not = [%s]\nin = %s\nlevel = %s\n", strings.Join(quoted, ", "), tomlString(nil, r.In), tomlString(nil, r.Level))
	}
}
