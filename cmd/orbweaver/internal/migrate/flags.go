package migrate

import (
	"slices"
	"strings"
)

// A commandLine says how to read the arguments of a program.
type commandLine struct {
	program  string
	short    map[string]string   // the long names of letters
	switches []string            // long names of flags without a value
	lists    []string            // long names of flags that can be repeated
	name     func(string) string // the name of the option of a flag; nil if it is the same
	take     func(c *Config, options map[string]any)
}

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
	l.take(c, options)
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
