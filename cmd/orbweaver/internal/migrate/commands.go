package migrate

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/lazy"
)

// commandLines are the programs whose settings are mostly flags.
var commandLines = []*commandLine{muffetLine, linkinatorLine, lycheeLine, linkCheckerLine, htmlTestLine, htmlProoferLine, markdownLinkCheckLine, awesomeBotLine}

// otherPrograms are recognized in commands, but their flags are not read.
var otherPrograms = map[string]string{"blc": "of broken-link-checker nothing is imported: its --exclude has the same name here, and --recursive is the default",
	"linkspector": linkspectorKeys}

// launchers are commands that run the program named in their arguments, with the subcommands
// that do so.
var launchers = map[string][]string{"sudo": nil, "time": nil, "env": nil, "exec": nil, "nice": nil, "timeout": nil, "xargs": nil, "npx": nil, "pnpx": nil, "bunx": nil,
	"npm": {"exec", "x"}, "pnpm": {"exec", "dlx"}, "yarn": {"dlx", "exec", "run", "linkinator"}, "bun": {"x"}, "docker": {"run"}, "podman": {"run"}, "go": {"run", "tool"},
	"uvx": nil, "pipx": {"run"}, "poetry": {"run"}, "bundle": {"exec"}, "if": nil, "!": nil, "then": nil, "do": nil, "else": nil}

// versionOf matches what follows the name of a program in an image or a module:
// muffet/v2@latest, muffet:2.11.
var versionOf = lazy.Regexp(`(/v\d+)?([@:][\w.-]+)?$`)

// assignment matches NAME=value before a command.
var assignment = lazy.Regexp(`^\w+=`)

// programIn returns the name of the link checker that a command runs, and its arguments.
func programIn(words []string) (name string, args []string) {
	for len(words) > 0 && assignment().MatchString(words[0]) {
		words = words[1:]
	}
	if len(words) == 0 {
		return "", nil
	}
	is := func(word string) string {
		base := path.Base(versionOf().ReplaceAllString(word, ""))
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
// read, never run.
func readScript(c *Config, script string) {
	for _, words := range shellCommands(script) {
		name, args := programIn(words)
		if name == "" {
			continue
		}
		c.ran(name)
		if why, other := otherPrograms[name]; other {
			c.skip(readable(strings.Join(words, " ")), why)
			continue
		}
		for _, line := range commandLines {
			if line.program == name {
				c.within(name+" ", func(one *Config) { line.read(one, args) })
			}
		}
	}
}

// titles are the names of programs whose commands are called otherwise.
var titles = map[string]string{"htmlproofer": "html-proofer", "linkchecker": "LinkChecker", "blc": "broken-link-checker"}

// ran records that a file belongs to a program.
func (c *Config) ran(program string) {
	program = cmp.Or(titles[program], program)
	switch {
	case c.Program == "":
		c.Program = program
	case !slices.Contains(strings.Split(c.Program, ", "), program):
		c.Program += ", " + program
	}
}

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
	readScript(c, script.String())
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
			readScript(c, v)
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
			readScript(c, strings.Join(append([]string{id}, quoted(texts(v["args"]))...), " "))
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			walkWorkflow(c, name, v[name], depth+1)
		}
	}
}

func quoted(words []string) []string {
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
	}
	return all
}

// An action has inputs, which are imported like options.
type action struct {
	program string
	rows    map[string]row
	take    func(c *Config, inputs map[string]any) // nil for carryAll
}

var actions = map[string]action{
	"justinbeckwith/linkinator-action":                {"linkinator", linkinatorRows, importLinkinator},
	"lycheeverse/lychee-action":                       {"lychee", lycheeActionRows, nil},
	"gaurav-nelson/github-action-markdown-link-check": {"markdown-link-check", mlcActionRows, nil},
	"tcort/github-action-markdown-link-check":         {"markdown-link-check", mlcActionRows, nil},
	"chabad360/htmlproofer":                           {"html-proofer", htmlProoferActionRows, nil},
	"umbrelladocs/action-linkspector":                 {"Linkspector", map[string]row{"config_file": {why: linkspectorKeys}}, nil},
}

// readAction imports a step with the action of a link checker.
func readAction(c *Config, uses string, with map[string]any) {
	name, _, _ := strings.Cut(strings.ToLower(uses), "@")
	a, known := actions[name]
	if !known {
		return
	}
	c.ran(a.program)
	c.within(path.Base(name)+" ", func(one *Config) {
		for _, option := range slices.Sorted(maps.Keys(with)) {
			t, isText := with[option].(string)
			if t = markExpressions(t); isText && hasVariable(t) && a.rows[option].carry != nil && option != "args" {
				one.skip(option+" "+readable(t), "its value is known only when the workflow runs")
				delete(with, option)
			}
		}
		if a.take != nil {
			a.take(one, with)
		} else {
			one.carryAll(a.rows, with)
		}
	})
}

var lycheeActionRows = map[string]row{
	"args":             {carry: commandOf("lychee")},
	"checkbox":         {why: "the report in Markdown has no boxes to tick"},
	"debug":            {why: "Orbweaver has no such output"},
	"fail":             {why: "to let the job succeed, use --fail-on none"},
	"failIfEmpty":      {why: "a run that checks no link ends with exit status 3"},
	"format":           {why: "the job summary is in Markdown; see --output for more reports"},
	"jobSummary":       {},
	"lycheeVersion":    {},
	"output":           {why: "see --output"},
	"token":            {why: "code hosts are treated like any other host, and pages are requested instead of an API"},
	"workingDirectory": {why: "run orbweaver in that directory"},
}

var htmlProoferActionRows = map[string]row{
	"arguments": {carry: commandOf("htmlproofer")},
	"directory": {carry: each(linkinatorPaths)},
}

func commandOf(program string) carry {
	return func(c *Config, _ string, v any) error {
		args, _ := text(v)
		readScript(c, program+" "+strings.ReplaceAll(args, "\n", " "))
		return nil
	}
}

var anyExpression = lazy.Regexp(`\$\{\{[^}]*?(\w*)\s*\}\}`)

// markExpressions marks the expressions of a workflow as variables.
func markExpressions(t string) string {
	return anyExpression().ReplaceAllString(t, varOpen+"${1}"+varClose)
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
		readScript(c, file.Scripts[name])
	}
	return nil
}
