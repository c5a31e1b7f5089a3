package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"

	"github.com/BurntSushi/toml"
)

// configName is the configuration file that is read from the working directory by
// default.
const configName = "orbweaver.toml"

// maxConfig is the maximum size of a configuration file, in bytes.
const maxConfig = 1 << 20

// loadConfig adds the configuration files to the settings of the command line, which take
// precedence. Of several files, the last takes precedence; lists and rules are joined.
func loadConfig(s *settings) error {
	names := slices.DeleteFunc(slices.Clone(s.config), func(name string) bool { return name == "" })
	switch {
	case s.noConfig && len(names) > 0:
		return usageError("%s and %s cannot be used together", s.named("config"), s.named("no-config"))
	case s.noConfig:
		return nil
	case len(names) == 0:
		if _, err := os.Lstat(configName); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		names, s.foundConfig = []string{configName}, true
	}
	for _, name := range slices.Backward(names) {
		file := &configFile{name: name, found: s.foundConfig, allowEnv: s.allowEnv, env: os.LookupEnv}
		text, err := readConfig(name, s.foundConfig)
		if err != nil {
			return usageError("read configuration %s: %w", name, err)
		}
		if err := applyConfig(s, file, text); err != nil {
			return usageError("%w", err)
		}
	}
	return nil
}

// readConfig reads a configuration file. One that the user names may be a pipe, such as that of
// <(command) in a shell; one that was found may not, because reading it could block for ever.
func readConfig(name string, found bool) (string, error) {
	if found {
		if info, err := os.Stat(name); err != nil {
			return "", withoutPath(err)
		} else if !info.Mode().IsRegular() {
			return "", errors.New("it is not a regular file")
		}
	}
	f, err := os.Open(name)
	if err != nil {
		return "", withoutPath(err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxConfig+1))
	if len(text) > maxConfig {
		return "", fmt.Errorf("it is larger than the limit of %d bytes", maxConfig)
	}
	return string(text), withoutPath(err)
}

// applyConfig reads the TOML text of a file into settings.
func applyConfig(s *settings, file *configFile, text string) error {
	name := file.name
	if err := checkDepth(text); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	var keys map[string]any
	if _, err := toml.Decode(text, &keys); err != nil {
		var bad toml.ParseError
		if errors.As(err, &bad) {
			return fmt.Errorf("%s:%d:%d: %s", name, bad.Position.Line, bad.Position.Col, bad.Message)
		}
		return fmt.Errorf("%s: %w", name, err)
	}
	rows := configRows()
	known := []string{"content", "plugin", "rule"}
	for key := range rows {
		known = append(known, key)
	}
	slices.Sort(known)

	var faults []error
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		var err error
		if blocks, isBlock := keys[key].([]map[string]any); isBlock {
			if s.blocks == nil {
				s.blocks = map[string][]map[string]any{}
			}
			if key != "rule" && len(s.blocks[key]) > 0 {
				faults = append(faults, fmt.Errorf("%s: another configuration file has [[%s]] blocks, too: keep them in one file", name, key))
				continue
			}
			s.blocks[key] = append(s.blocks[key], blocks...)
		}
		if key == "rule" {
			var more []ruleBlock
			more, err = readRules(file, keys[key])
			s.rules = append(s.rules, more...)
		} else if key == "content" {
			s.content, err = readContent(file, keys[key])
		} else if key == "plugin" {
			s.plugins, err = readPlugins(file, keys[key])
		} else if blocks, ok := keys[key].([]map[string]any); ok && key == "login" {
			s.logins, err = readLogins(file, blocks)
		} else if row, ok := rows[key]; ok {
			err = applyKey(s, &row, file, keys[key])
		} else if near := nearest(key, known); near != "" {
			err = fmt.Errorf("%s: unknown key %s: did you mean %s?", name, key, near)
		} else {
			err = fmt.Errorf("%s: unknown key %s: use the long name of a flag, or a [[rule]]", name, key)
		}
		faults = append(faults, err)
	}
	s.expanded = append(s.expanded, file.expanded...)
	return errors.Join(faults...)
}

// configRows are the flags that are keys of the configuration file: those of check,
// except the ones about the file itself.
func configRows() map[string]flag {
	rows := map[string]flag{}
	for _, f := range flagsOn(onCheck) {
		if f.group != config {
			rows[f.name] = f
		}
	}
	return rows
}

// applyKey stores the value of one key in its field.
func applyKey(s *settings, row *flag, file *configFile, value any) error {
	where := row.name + " in " + file.name
	wrong := func(use string) error { return fmt.Errorf("%s: use %s", where, use) }

	came := func(n int) { // n values came from the file
		if file.found {
			if s.found == nil {
				s.found = map[string]int{}
			}
			s.found[row.name] = n
		}
	}
	if field, ok := row.field(s).(*bool); ok {
		on, ok := value.(bool)
		if !ok {
			return wrong("true or false")
		}
		if err := file.permit(row.name, nil); err != nil && on {
			return err
		}
		if !s.given(row.name) {
			*field = on
			s.origin[row.name] = where
			came(1)
		}
		return nil
	}

	texts, ok := configTexts(row, value)
	if !ok {
		if row.many == once {
			return wrong("one value: a string or a number")
		}
		return wrong("a string, or an array of strings")
	}
	if err := file.permit(row.name, texts); err != nil {
		return err
	}
	if err := file.spendAll(row.name, texts); err != nil {
		return err
	}
	if row.expands() {
		for i, t := range texts {
			expanded, err := expandEnv(t, file.variable)
			if err != nil {
				return fmt.Errorf("%s: %w", where, err)
			}
			texts[i] = expanded
		}
	}
	switch field := row.field(s).(type) {
	case *string:
		if !s.given(row.name) {
			*field = texts[0]
			s.origin[row.name] = where
			came(1)
		}
	case *[]string:
		switch {
		case !s.given(row.name):
			*field = texts
			s.origin[row.name] = where
			came(len(texts))
		case row.many == list && !slices.Contains(*field, ""):
			*field = slices.Concat(texts, *field)
			s.origin[row.name] += " or " + where
			came(len(texts))
		}
	}
	return nil
}

// expands reports whether ${NAME} in the value of a key is replaced by an environment
// variable. This is the case for settings that contain secrets.
func (f *flag) expands() bool { return slices.Contains(expandedKeys, f.name) }

var expandedKeys = []string{"header", "user", "proxy", "login-user", "login-field"}
