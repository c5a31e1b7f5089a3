package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/migrate"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/option"
	"github.com/orbweaver/orbweaver/urinorm"
)

// An initPlan is what init is to write, and where.
type initPlan struct {
	from   []string // files of other link checkers; nil: those that are found
	noFind bool
	file   string // "-" for standard output
	long   bool   // all keys
	force  bool

	carried *migrate.Config
	used    []string // the files that were imported
	secrets []migrate.Secret
}

// secretsName is the file for secrets, beside the configuration.
const secretsName = "orbweaver.env"

func newInitCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "init [flags]",
		Short: "write orbweaver.toml, with the settings of another link checker if there are any",
		Long: "Without --from, it imports the settings of the link checkers that the working directory has: those of lychee, LinkChecker, htmltest, html-proofer, linkinator, markdown-link-check and " +
			"Sphinx's linkcheck in their files, and those of most of these, of muffet and of awesome_bot from commands in makefiles, Rakefiles, workflows and package.json. In projects of MkDocs, Sphinx, Hugo, " +
			"Docusaurus and Jekyll, it proposes sources, base-url and the directory to check. The files are " + strings.Join(migrate.Files(), ", ") + ". " +
			"Nothing is lost without a word: settings that cannot be imported are listed on standard error and in the file. " +
			"Passwords, tokens and cookies are written to " + secretsName + ", which only you can read.",
		Example: `orbweaver init
orbweaver init --long
orbweaver init --from lychee.toml --from .lycheeignore
orbweaver init --from linkcheckerrc -o -`,
		Args: cobra.NoArgs,
	}
	p := &initPlan{}
	cmd.Flags().StringArrayVar(&p.from, "from", nil, "import the settings of another link checker's `FILE`, and the ignore file beside it (repeatable)")
	cmd.Flags().BoolVar(&p.noFind, "no-find", false, "do not look for settings of other link checkers")
	cmd.Flags().BoolVar(&p.long, "long", false, "list every key with its meaning and its default, commented out")
	cmd.Flags().StringVarP(&p.file, "output", "o", configName, "write to `FILE`; - is standard output")
	cmd.Flags().BoolVar(&p.force, "force", false, "replace existing files")
	cmd.SetFlagErrorFunc(flagError)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := p.run(cmd.OutOrStdout(), cmd.ErrOrStderr()); err != nil {
			return usageError("%w", err)
		}
		return nil
	}
	return cmd
}

func (p *initPlan) run(stdout, stderr io.Writer) error {
	if err := p.read(); err != nil {
		return err
	}
	p.secrets = p.carried.HideSecrets(expandedKeys())
	text, err := p.text()
	if err != nil {
		return err
	}
	if p.file == "-" {
		_, err = io.WriteString(stdout, text)
	} else {
		err = p.write(text)
	}
	if err != nil {
		return err
	}
	return p.print(stderr)
}

// read reads the settings of other link checkers.
func (p *initPlan) read() error {
	p.carried = &migrate.Config{}
	if p.from == nil && !p.noFind {
		found, skipped := migrate.Find(os.DirFS("."))
		for _, f := range found {
			p.add(f.Name, f.Config)
		}
		p.carried.Skipped = append(p.carried.Skipped, skipped...)
		p.noteHome()
	}
	for _, name := range p.from {
		for _, beside := range migrate.Beside(filepath.ToSlash(name)) {
			if _, err := os.Stat(beside); err == nil && !slices.Contains(p.from, beside) {
				if err := p.readFile(beside); err != nil {
					return err
				}
			}
		}
		if err := p.readFile(name); err != nil {
			return err
		}
	}
	dropUnknown(p.carried)
	return nil
}

// noteHome names LinkChecker's file in the home directory, which is not of this project.
func (p *initPlan) noteHome() {
	dir, err := os.UserConfigDir()
	if err != nil {
		return
	}
	name := filepath.Join(dir, "linkchecker", "linkcheckerrc")
	if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
		p.carried.Skipped = append(p.carried.Skipped, migrate.Skipped{Option: name, Reason: "it is for all your projects: to import it, use --from"})
	}
}

func (p *initPlan) readFile(name string) error {
	info, err := os.Stat(name)
	if err == nil && info.Size() > migrate.MaxSize {
		err = fmt.Errorf("it is larger than %d bytes", migrate.MaxSize)
	}
	var text []byte
	if err == nil {
		text, err = os.ReadFile(name)
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", name, withoutPath(err))
	}
	c, err := migrate.Read(name, text)
	if err != nil {
		return err
	}
	p.add(name, c)
	return nil
}

// add merges the settings of a file, which take precedence.
func (p *initPlan) add(name string, c *migrate.Config) {
	for i := range c.Skipped {
		c.Skipped[i].File = name
	}
	if c.Empty() && c.Site == (migrate.Site{}) {
		c.Skipped = []migrate.Skipped{{Option: name, Reason: "it sets nothing"}}
	} else {
		p.used = append(p.used, name)
	}
	p.carried.Merge(c)
}

// secretsFile is the file for secrets, beside the configuration.
func (p *initPlan) secretsFile() string { return filepath.Join(filepath.Dir(p.file), secretsName) }

// write writes the configuration, and the secrets if there are any.
func (p *initPlan) write(text string) error {
	if len(p.secrets) > 0 {
		if _, err := os.Lstat(p.file); err == nil && !p.force { // nothing is written if one of them is there
			return alreadyExists(p.file)
		}
		if err := writeNew(p.secretsFile(), p.secretsText(), 0o600, p.force); err != nil {
			return err
		}
	}
	return writeNew(p.file, text, 0o644, p.force)
}

// secretsText returns the secrets as a shell script that sets variables.
func (p *initPlan) secretsText() string {
	var b strings.Builder
	b.WriteString("# Secrets of " + filepath.Base(p.file) + ". Keep this file out of version control.\n")
	for _, s := range p.secrets {
		fmt.Fprintf(&b, "%s='%s'\n", s.Name, strings.ReplaceAll(s.Value, "'", `'\''`))
	}
	return b.String()
}

// writeNew writes a file. The file must not exist, unless force is set.
func writeNew(file, text string, perm fs.FileMode, force bool) error {
	mode := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if force {
		mode = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	f, err := os.OpenFile(file, mode, perm)
	if errors.Is(err, fs.ErrExist) {
		return alreadyExists(file)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", file, withoutPath(err))
	}
	if perm&0o077 == 0 {
		err = f.Chmod(perm) // the file may have been there
	}
	if err == nil {
		_, err = io.WriteString(f, text)
	}
	return errors.Join(err, f.Close())
}

func alreadyExists(file string) error {
	return fmt.Errorf("write %s: it already exists; --force replaces it, -o names another file", file)
}

// dropUnknown moves settings that our flags do not accept to those that were not
// imported.
func dropUnknown(c *migrate.Config) {
	rows := configRows()
	c.Settings = slices.DeleteFunc(c.Settings, func(s migrate.Setting) bool {
		row, known := rows[s.Key]
		if known && (len(row.Words) == 0 || slices.Contains(row.Words, s.Values[0])) {
			return false
		}
		c.Skipped = append(c.Skipped, migrate.Skipped{Option: s.Key + " = " + s.Values[0], Reason: "Orbweaver has no such setting"})
		return true
	})
}

// print prints what was imported and what was not, where the secrets are, and how to run a
// check.
func (p *initPlan) print(w io.Writer) error {
	c := p.carried
	if p.file != "-" {
		fmt.Fprintf(w, "wrote %s", p.file)
		if n := len(c.Settings) + len(c.Rules) + len(c.Content); n > 0 {
			fmt.Fprintf(w, ": %s imported from %s, %d not", counted(n, "setting"), strings.Join(p.used, ", "), len(c.Skipped))
		}
		fmt.Fprintln(w)
	}
	for _, l := range migrate.Group(c.Skipped, namesInLine) {
		fmt.Fprintf(w, "not imported: %s\n", printable(notImported(l)))
	}
	run := "orbweaver"
	if len(p.secrets) > 0 {
		names := make([]string, len(p.secrets))
		for i, s := range p.secrets {
			names[i] = s.Name
		}
		if p.file == "-" {
			fmt.Fprintf(w, "warning: secrets are not printed: set %s in the environment\n", strings.Join(names, ", "))
		} else {
			fmt.Fprintf(w, "warning: wrote secrets to %s, which only you can read (%s): keep it out of version control\n", p.secretsFile(), strings.Join(names, ", "))
			run = fmt.Sprintf("set -a; . ./%s; set +a; orbweaver", filepath.ToSlash(p.secretsFile()))
		}
	}
	config := ""
	if p.file != "-" && p.needsName() {
		config = " --config " + p.file
	}
	targets := "TARGET"
	if len(c.Targets) == 0 && c.Site.Dir != "" {
		c.Targets = []string{c.Site.Dir}
		run = c.Site.Command + " && " + run
	}
	if len(c.Targets) > 0 {
		quoted := make([]string, len(c.Targets))
		for i, t := range c.Targets {
			quoted[i] = shellWord(urinorm.Redact(t))
		}
		targets = strings.Join(quoted, " ")
	}
	if len(c.Targets) > 0 || config != "" {
		fmt.Fprintf(w, "run: %s %s%s\n", run, printable(targets), config)
	}
	return nil
}

// namesInLine limits the options in a line of the terminal; the file names all of them.
const namesInLine = 6

func notImported(l migrate.Skipped) string {
	if l.File != "" {
		l.Option = l.File + ": " + l.Option
	}
	return l.Option + ": " + l.Reason
}

// needsName reports whether the configuration must be named by --config, because one that is
// only found may not set all of its keys.
func (p *initPlan) needsName() bool {
	found := &configFile{name: configName, found: true, env: os.LookupEnv}
	for _, s := range p.carried.Settings {
		if found.permit(s.Key, s.Values) != nil {
			return true
		}
		for _, v := range s.Values {
			if slices.Contains(expandedKeys(), s.Key) && readsVariable(v) {
				return true
			}
		}
	}
	for _, r := range p.carried.Rules {
		for _, v := range r.Header {
			if readsVariable(v) {
				return true
			}
		}
	}
	return false
}

// shellWord quotes a word for a shell if it needs to be.
func shellWord(s string) string {
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/.:_-%@+=,", r))
	}) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// text returns the configuration file: the keys that were imported, or with --long every key
// with its explanation. It checks that the file is valid.
func (p *initPlan) text() (string, error) {
	var b strings.Builder
	c := p.carried
	b.WriteString(initHead)
	if !p.long {
		b.WriteString(initShort)
	}
	for _, l := range migrate.Group(c.Skipped, 0) {
		comment(&b, "Not imported: "+notImported(l)+".")
	}
	set := map[string]migrate.Setting{}
	for _, s := range c.Settings {
		set[s.Key] = s
	}
	if !p.long && c.Empty() {
		b.WriteString(initExample)
	}
	for _, g := range option.Groups {
		first := true
		for _, row := range option.Of(option.Check) {
			if row.Group != g || g == option.Configuration || !p.long && set[row.Name].Values == nil {
				continue
			}
			if first && p.long {
				fmt.Fprintf(&b, "\n#### %s\n", g)
				first = false
			}
			p.writeKey(&b, row, set[row.Name])
		}
	}
	if p.long {
		b.WriteString(initRules)
	}
	writeRules(&b, c.Rules)
	if p.long {
		b.WriteString(initContent)
	}
	writeContent(&b, c.Content)
	text := b.String()
	s := addFlags(&cobra.Command{}, option.Check)
	if err := applyConfig(s, &configFile{name: "the new " + configName, env: p.variable}, text); err != nil {
		return "", err
	}
	return text, nil
}

// variable returns the value of any variable: of the secrets, of the environment, or a
// placeholder for those that a workflow sets.
func (p *initPlan) variable(name string) (string, bool) {
	for _, s := range p.secrets {
		if s.Name == name {
			return s.Value, true
		}
	}
	if v, ok := os.LookupEnv(name); ok {
		return v, true
	}
	return "placeholder", true
}

const initHead = `# Configuration of orbweaver. Every long flag of ` + "`orbweaver check`" + ` is a key; the command line takes precedence.
# Patterns are regular expressions (RE2) on the URL as it is printed; ` + "`orbweaver explain URL`" + ` shows that form.
# Keys that a stranger could misuse, such as proxy, and ${NAME} need --config orbweaver.toml: a file that was only found may come from anyone.
`

// initShort follows initHead in a short file.
const initShort = "# `orbweaver init --long` lists every key; `orbweaver help configuration` explains them.\n"

// initExample is the rest of a short file without imported settings.
const initExample = `
# exclude = ['^https://example\.com/']   # do not check URLs that match
# external = "skip"                      # do not check links to other sites
# fail-on = "internal:warning,external:broken"
# output = ["report.html"]

# [[rule]]
# match = "https://intranet.example.com/**"
# accept = [403]
`

// writeKey writes one key, with its value or commented out with its default or an
// example.
func (p *initPlan) writeKey(b *strings.Builder, row *option.Flag, s migrate.Setting) {
	if !p.long {
		if s.Note != "" {
			comment(b, strings.ToUpper(s.Note[:1])+s.Note[1:]+".")
		}
		writeValue(b, row, s)
		return
	}
	doc := strings.ToUpper(row.Doc[:1]) + row.Doc[1:]
	if len(row.Words) > 0 && !strings.Contains(doc, row.Words[len(row.Words)-1]) {
		doc += " (" + strings.Join(row.Words, ", ") + ")"
	}
	b.WriteByte('\n')
	comment(b, doc+".")
	if s.Note != "" {
		comment(b, "Imported: "+s.Note+".")
	}
	if s.Values == nil {
		fmt.Fprintf(b, "# %s = %s\n", row.Name, sampleOf(row))
		return
	}
	writeValue(b, row, s)
}

func writeValue(b *strings.Builder, row *option.Flag, s migrate.Setting) {
	switch {
	case s.Switch:
		fmt.Fprintf(b, "%s = %s\n", row.Name, s.Values[0])
	case row.Many == option.List:
		fmt.Fprintf(b, "%s = [\n", row.Name)
		for _, v := range s.Values {
			fmt.Fprintf(b, "  %s,\n", tomlString(v))
		}
		b.WriteString("]\n")
	case row.TakesNumbers():
		fmt.Fprintf(b, "%s = %s\n", row.Name, tomlNumber(s.Values[0]))
	default:
		fmt.Fprintf(b, "%s = %s\n", row.Name, tomlString(s.Values[0]))
	}
}

// tomlNumber writes a whole number as such, several statuses as an array, and anything else as
// a string.
func tomlNumber(s string) string {
	if strings.Contains(s, ",") {
		var all []string
		for part := range strings.SplitSeq(s, ",") {
			all = append(all, tomlNumber(part))
		}
		return "[" + strings.Join(all, ", ") + "]"
	}
	if n, err := strconv.Atoi(s); err == nil && strconv.Itoa(n) == s {
		return s
	}
	return tomlString(s)
}

// expandedKeys are the keys in whose values ${NAME} is an environment variable.
func expandedKeys() (names []string) {
	for _, f := range option.Of(option.Check) {
		if f.Expands {
			names = append(names, f.Name)
		}
	}
	return names
}

// sampleOf returns the default of a flag as TOML, or a placeholder.
func sampleOf(f *option.Flag) string {
	if f.IsSwitch() {
		return "false"
	}
	value := cmp.Or(f.Initial, f.Arg)
	if _, err := strconv.Atoi(value); err == nil {
		return value
	}
	if f.Many == option.List {
		return "[" + tomlString(value) + "]"
	}
	return tomlString(value)
}

func tomlString(s string) string {
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
func comment(b *strings.Builder, text string) {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, text)
	for _, l := range wrap(text, 98) {
		b.WriteString("# " + l + "\n")
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
	for _, r := range rules {
		b.WriteByte('\n')
		if r.Note != "" {
			comment(b, r.Note+".")
		}
		fmt.Fprintf(b, "[[rule]]\nmatch_re = %s\n", tomlString(r.MatchRE))
		writeArray(b, "accept", r.Accept, tomlNumber)
		writeArray(b, "level", r.Level, tomlString)
		if r.Verdict != "" {
			fmt.Fprintf(b, "verdict = %s\n", tomlString(r.Verdict))
		}
		if r.Rate != "" {
			fmt.Fprintf(b, "rate = %s\n", tomlString(r.Rate))
		}
		if r.Header != nil {
			b.WriteString("[rule.header]\n")
			for _, name := range slices.Sorted(maps.Keys(r.Header)) {
				fmt.Fprintf(b, "%s = %s\n", tomlString(name), tomlString(r.Header[name]))
			}
		}
	}
}

// writeArray writes an array, in several lines if it is long.
func writeArray(b *strings.Builder, key string, values []string, write func(string) string) {
	if values == nil {
		return
	}
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = write(v)
	}
	if line := strings.Join(quoted, ", "); len(line) < 90 {
		fmt.Fprintf(b, "%s = [%s]\n", key, line)
		return
	}
	fmt.Fprintf(b, "%s = [\n  %s,\n]\n", key, strings.Join(quoted, ",\n  "))
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
	for _, r := range rules {
		fmt.Fprintf(b, "\n[[content]]\nname = %s\n", tomlString(r.Name))
		quoted := make([]string, len(r.Not))
		for i, s := range r.Not {
			quoted[i] = tomlString(s)
		}
		fmt.Fprintf(b, "not = [%s]\nin = %s\nlevel = %s\n", strings.Join(quoted, ", "), tomlString(r.In), tomlString(r.Level))
	}
}
