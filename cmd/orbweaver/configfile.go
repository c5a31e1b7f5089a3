package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/BurntSushi/toml"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/option"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/tomlsize"
)

// configName is the configuration file that is read from the working directory by
// default.
const configName = "orbweaver.toml"

// maxConfig is the maximum size of a configuration file, in bytes.
const maxConfig = 1 << 20

// maxConfigParts is the maximum number of names and values in a configuration file.
const maxConfigParts = 100_000

// loadConfig adds the configuration files to the settings of the command line, which take
// precedence. Of several files, the last takes precedence; lists and rules are joined. Without a
// name, the file of a directory is read, if it has one; "" is the working directory.
func loadConfig(s *settings, dir string) error {
	names := slices.DeleteFunc(slices.Clone(s.List("config")), func(name string) bool { return name == "" })
	switch {
	case s.On("no-config") && len(names) > 0:
		return usageError("%s and %s cannot be used together", s.Named("config"), s.Named("no-config"))
	case s.On("no-config"):
		return nil
	case len(names) == 0:
		if _, err := os.Lstat(filepath.Join(dir, configName)); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		names, s.foundConfig = []string{configName}, true
	}
	for _, name := range slices.Backward(names) {
		file := &configFile{name: name, found: s.foundConfig, dir: dir, allowEnv: s.List("allow-env"), env: os.LookupEnv}
		at := name
		if s.foundConfig {
			at = filepath.Join(dir, name)
		}
		text, err := readConfig(at, s.foundConfig)
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

func applyConfig(s *settings, file *configFile, text string) error {
	name := file.name
	if err := tomlsize.Check(text, maxConfigParts); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	var keys map[string]any
	if _, err := toml.Decode(text, &keys); err != nil {
		if bad, ok := errors.AsType[toml.ParseError](err); ok {
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
	unknown := 0
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
			err = applyKey(s, row, file, keys[key])
		} else if unknown++; unknown > maxFaults {
			continue // more are not read by anybody
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
func configRows() map[string]*option.Flag {
	rows := map[string]*option.Flag{}
	for _, f := range option.Of(option.Check) {
		if f.Group != option.Configuration {
			rows[f.Name] = f
		}
	}
	return rows
}

// applyKey stores the value of one key in its field.
func applyKey(s *settings, row *option.Flag, file *configFile, value any) error {
	where := row.Name + " in " + file.name
	wrong := func(use string) error { return fmt.Errorf("%s: use %s", where, use) }

	came := func(n int) { // n values came from the file
		if row.Name == "exclude" {
			for _, text := range s.List(row.Name)[:n] {
				if text != "" { // an empty value only drops others
					s.fileExcludes++
				}
			}
		}
		if file.found {
			if s.found == nil {
				s.found = map[string]int{}
			}
			s.found[row.Name] = n
		}
	}
	if row.IsSwitch() {
		on, ok := value.(bool)
		if !ok {
			return wrong("true or false")
		}
		if err := file.permit(row.Name, nil); err != nil && on {
			return err
		}
		if !s.Given(row.Name) {
			s.Set(row.Name, where, strconv.FormatBool(on))
			came(1)
		}
		return nil
	}

	texts, ok := configTexts(row, value)
	if !ok {
		if row.Many == option.Once {
			return wrong("one value: a string or a number")
		}
		return wrong("a string, or an array of strings")
	}
	if err := file.permit(row.Name, texts); err != nil {
		return err
	}
	if err := file.spendAll(row, texts); err != nil {
		return err
	}
	if row.Pattern == nil {
		if err := file.limit(row.Name, texts); err != nil {
			return err
		}
	}
	if row.Expands {
		for i, t := range texts {
			expanded, err := expandEnv(t, file.variable)
			if err != nil {
				return fmt.Errorf("%s: %w", where, err)
			}
			texts[i] = expanded
		}
	}
	if file.found && row.Found.Reads() {
		for i, path := range texts {
			texts[i] = option.At(file.dir, path)
		}
	}
	switch before := s.List(row.Name); {
	case !s.Given(row.Name):
		s.Set(row.Name, where, texts...)
		came(len(texts))
	case row.Many == option.List && !slices.Contains(before, ""):
		s.Set(row.Name, s.Origin(row.Name)+" or "+where, slices.Concat(texts, before)...)
		came(len(texts))
	}
	return nil
}
