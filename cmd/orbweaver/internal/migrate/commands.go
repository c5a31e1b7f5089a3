package migrate

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// A commandLine says how to read the arguments of a program.
type commandLine struct {
	program  string
	short    map[string]string // the long names of letters
	switches []string          // long names of flags without a value
	lists    []string          // long names of flags that can be repeated
	rows     map[string]row
	name     func(string) string                     // the name of a flag in rows; nil if it is the same
	take     func(c *Config, options map[string]any) // nil for carryAll
}

// commandLines are the programs whose settings are mostly flags.
var commandLines = []*commandLine{muffetLine, linkinatorLine, lycheeLine}

// otherPrograms are recognized in commands, but their flags are not read.
var otherPrograms = map[string]string{"linkchecker": "linkcheckerrc", "htmltest": ".htmltest.yml"}

// launchers are commands that run the program named in their arguments, with the subcommands
// that do so.
var launchers = map[string][]string{"sudo": nil, "time": nil, "env": nil, "exec": nil, "nice": nil, "timeout": nil, "xargs": nil, "npx": nil, "pnpx": nil, "bunx": nil,
	"npm": {"exec", "x"}, "pnpm": {"exec", "dlx"}, "yarn": {"dlx", "exec", "run", "linkinator"}, "bun": {"x"}, "docker": {"run"}, "podman": {"run"}, "go": {"run", "tool"},
	"uvx": nil, "pipx": {"run"}, "poetry": {"run"}, "if": nil, "!": nil, "then": nil, "do": nil, "else": nil}

// versionOf matches what follows the name of a program in an image or a module:
// muffet/v2@latest, muffet:2.11.
var versionOf = regexp.MustCompile(`(/v\d+)?([@:][\w.-]+)?$`)

// assignment matches NAME=value before a command.
var assignment = regexp.MustCompile(`^\w+=`)

// programIn returns the name of the link checker that a command runs, and its arguments.
func programIn(words []string) (name string, args []string) {
	for len(words) > 0 && assignment.MatchString(words[0]) {
		words = words[1:]
	}
	if len(words) == 0 {
		return "", nil
	}
	is := func(word string) string {
		base := path.Base(versionOf.ReplaceAllString(word, ""))
		if _, other := otherPrograms[base]; other || slices.ContainsFunc(commandLines, func(l *commandLine) bool { return l.program == base }) {
			return base
		}
		return ""
	}
	if name := is(words[0]); name != "" {
		return name, words[1:]
	}
	subcommands, launches := launchers[path.Base(words[0])]
	if !launches || subcommands != nil && !slices.ContainsFunc(words, func(w string) bool { return slices.Contains(subcommands, w) }) {
		return "", nil
	}
	for i, word := range words[1:] {
		if name := is(word); name != "" && !strings.HasPrefix(word, "-") {
			args := words[i+2:]
			if len(args) > 0 && (args[0] == "--" || is(args[0]) == name) { // npm exec linkinator -- docs, docker run lycheeverse/lychee lychee
				args = args[1:]
			}
			return name, args
		}
	}
	return "", nil
}

// readScript imports the settings of the link checkers that a shell script runs. It is only
// read, never run. Messages begin with where.
func readScript(c *Config, where, script string) {
	for _, words := range shellCommands(script) {
		name, args := programIn(words)
		if name == "" {
			continue
		}
		c.ran(name)
		if file, other := otherPrograms[name]; other {
			c.skip(where+readable(strings.Join(words, " ")), "of "+name+" only the file is imported: --from "+file)
			continue
		}
		for _, line := range commandLines {
			if line.program == name {
				one := &Config{}
				line.read(one, args)
				one.prefix(where + name + " ")
				c.Merge(one)
			}
		}
	}
}

// ran records that a file belongs to a program.
func (c *Config) ran(program string) {
	switch {
	case c.Program == "":
		c.Program = program
	case !slices.Contains(strings.Split(c.Program, ", "), program):
		c.Program += ", " + program
	}
}

// prefix adds to the names of all options that are not imported.
func (c *Config) prefix(p string) {
	for i := range c.Skipped {
		c.Skipped[i].Option = p + c.Skipped[i].Option
	}
}

// read imports the arguments of one command.
func (l *commandLine) read(c *Config, args []string) {
	options := map[string]any{}
	set := func(flag string, value any) {
		name := flag
		if l.name != nil {
			name = l.name(flag)
		}
		t, isText := value.(string)
		if list, _ := options[name].([]any); slices.Contains(l.lists, flag) {
			value = append(list, value)
		}
		if isText && hasVariable(t) && !slices.Contains(expanding, name) {
			c.skip("--"+flag+" "+readable(t), "its value is known only when the command runs")
			return
		}
		options[name] = value
	}
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		switch {
		case arg == "--":
			for _, t := range args {
				c.addTarget(t)
			}
			args = nil
		case strings.HasPrefix(arg, "--"):
			args = l.long(c, arg[2:], args, set)
		case strings.HasPrefix(arg, "-") && arg != "-":
			args = l.letters(c, arg[1:], args, set)
		default:
			c.addTarget(arg)
		}
	}
	if l.take != nil {
		l.take(c, options)
	} else {
		c.carryAll(l.rows, options)
	}
}

// expanding are options whose values may have variables here.
var expanding = []string{"header", "proxy"}

// long reads --name, --name=value or --name value, and returns the remaining arguments.
func (l *commandLine) long(c *Config, arg string, args []string, set func(string, any)) []string {
	name, value, given := strings.Cut(arg, "=")
	negated, isNo := strings.CutPrefix(name, "no-")
	switch {
	case given:
		set(name, value)
	case slices.Contains(l.switches, name):
		set(name, true)
	case isNo && slices.Contains(l.switches, negated):
		set(negated, false)
	case len(args) > 0:
		set(name, args[0])
		return args[1:]
	default:
		c.skip("--"+name, "it has no value")
	}
	return args
}

// letters reads -xyz, and returns the remaining arguments.
func (l *commandLine) letters(c *Config, arg string, args []string, set func(string, any)) []string {
	for i, letter := range arg {
		name, known := l.short[string(letter)]
		if !known {
			c.skip("-"+string(letter), "unknown option")
			return args
		}
		if slices.Contains(l.switches, name) {
			set(name, true)
			continue
		}
		if value := strings.TrimPrefix(arg[i+len(string(letter)):], "="); value != "" {
			set(name, value)
		} else if len(args) > 0 {
			set(name, args[0])
			args = args[1:]
		} else {
			c.skip("-"+string(letter), "it has no value")
		}
		return args
	}
	return args
}

// addTarget imports a target. One that is known only when the command runs is named instead.
func (c *Config) addTarget(t string) {
	switch {
	case hasVariable(t):
		c.skip("target "+readable(t), "it is known only when the command runs")
	case t != "" && !slices.Contains(c.Targets, t):
		c.Targets = append(c.Targets, t)
	}
}

// readMakefile reads the recipes of a makefile.
func readMakefile(c *Config, text []byte) error {
	var script strings.Builder
	joined := strings.ReplaceAll(string(text), "\\\n", " ")
	for line := range strings.Lines(joined) {
		recipe, isRecipe := strings.CutPrefix(line, "\t")
		if !isRecipe {
			if _, after, ok := strings.Cut(line, ";"); ok && strings.Contains(line, ":") {
				recipe = after // target: ; command
			} else {
				continue
			}
		}
		recipe = strings.TrimLeft(recipe, "@-+ \t")
		script.WriteString(strings.ReplaceAll(recipe, "$$", "$") + "\n")
	}
	readScript(c, "", script.String())
	return nil
}

// scriptKeys are the keys of workflows whose texts are shell scripts, in the files of GitHub,
// GitLab, CircleCI, Travis, Azure, Bitbucket and Task.
var scriptKeys = []string{"run", "script", "before_script", "after_script", "before_install", "install", "after_success", "command", "cmd", "cmds", "bash"}

// readWorkflow reads the commands of a CI configuration, and the steps that use the actions of
// link checkers.
func readWorkflow(c *Config, text []byte) error {
	var file any
	if err := decodeYAML(text, &file); err != nil {
		return err
	}
	walkWorkflow(c, "", file, 0)
	return nil
}

// maxNesting limits the levels of a workflow that are read.
const maxNesting = 100

// walkWorkflow reads a value of a workflow; key is the name of the value.
func walkWorkflow(c *Config, key string, v any, depth int) {
	if depth > maxNesting {
		return
	}
	switch v := v.(type) {
	case string:
		if slices.Contains(scriptKeys, key) {
			readScript(c, "", v)
		}
	case []any:
		for _, e := range v {
			walkWorkflow(c, key, e, depth+1)
		}
	case map[string]any:
		if uses, ok := v["uses"].(string); ok {
			with, _ := v["with"].(map[string]any)
			readAction(c, uses, with)
		}
		if id, ok := v["id"].(string); ok && v["args"] != nil { // a hook of pre-commit
			readScript(c, "", strings.Join(append([]string{id}, quoted(texts(v["args"]))...), " "))
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			walkWorkflow(c, name, v[name], depth+1)
		}
	}
}

// quoted returns words in single quotes.
func quoted(words []string) []string {
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
	}
	return all
}

// readAction imports a step with the action of a link checker.
func readAction(c *Config, uses string, with map[string]any) {
	name, _, _ := strings.Cut(strings.ToLower(uses), "@")
	switch name {
	case "justinbeckwith/linkinator-action":
		one := &Config{}
		for option, v := range with {
			if t, ok := v.(string); ok {
				if t = markExpressions(t); hasVariable(t) {
					one.skip(option+" "+readable(t), "its value is known only when the workflow runs")
					delete(with, option)
				}
			}
		}
		importLinkinator(one, with)
		one.prefix("linkinator-action ")
		c.ran("linkinator")
		c.Merge(one)
	case "lycheeverse/lychee-action":
		args, _ := text(with["args"])
		readScript(c, "", "lychee "+strings.ReplaceAll(args, "\n", " "))
		for _, option := range slices.Sorted(maps.Keys(with)) {
			if why := lycheeActionInputs[option]; why != "" {
				c.skip("lychee-action "+option, why)
			} else if _, known := lycheeActionInputs[option]; !known {
				c.skip("lychee-action "+option, "unknown option")
			}
		}
	}
}

// lycheeActionInputs are the inputs of lychee's action, with the reason why they are not
// imported. The reason is empty if nothing is lost.
var lycheeActionInputs = map[string]string{
	"args":             "", // see readAction
	"checkbox":         "the report in Markdown has no boxes to tick",
	"debug":            "Orbweaver has no such output",
	"fail":             "to let the job succeed, use --fail-on none",
	"failIfEmpty":      "a run that checks no link ends with exit status 3",
	"format":           "the job summary is in Markdown; see --output for more reports",
	"jobSummary":       "",
	"lycheeVersion":    "",
	"output":           "see --output",
	"token":            "code hosts are treated like any other host, and pages are requested instead of an API",
	"workingDirectory": "run orbweaver in that directory",
}

var anyExpression = regexp.MustCompile(`\$\{\{[^}]*?(\w*)\s*\}\}`)

// markExpressions marks the expressions of a workflow as variables.
func markExpressions(t string) string {
	return anyExpression.ReplaceAllString(t, varOpen+"${1}"+varClose)
}

// readPackage reads the settings of lychee in package.json, and the scripts in it.
func readPackage(c *Config, text []byte) error {
	var file struct {
		Lychee  map[string]any
		Scripts map[string]string
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return fmt.Errorf("as JSON: %w", err)
	}
	if file.Lychee != nil {
		c.ran("lychee")
		c.carryAll(lycheeRows, file.Lychee)
	}
	for _, name := range slices.Sorted(maps.Keys(file.Scripts)) {
		readScript(c, "", file.Scripts[name])
	}
	return nil
}
