package main

import (
	"fmt"
	"slices"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/option"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/patternsize"
)

// configFile is a source of settings: a configuration file, or the environment.
type configFile struct {
	name     string
	found    bool     // it was found in the working directory, and not named by the user
	dir      string   // the working directory; "" for that of the process
	allowEnv []string // environment variables that a found file may read
	env      func(string) (string, bool)
	expanded []string // environment variables that were read
	patterns *patternsize.Budget
}

// permit returns an error if the file was found, and a found file may not set a key to these
// values.
func (f *configFile) permit(key string, values []string) error {
	if !f.found {
		return nil
	}
	if err := option.May(f.dir, key, values); err != nil {
		return f.refuse("%w", err)
	}
	return nil
}

// spend counts the size of a pattern, and returns an error if the patterns of the file are too large.
func (f *configFile) spend(key, text string, measure patternsize.Measure) error {
	if f.patterns == nil {
		budget := patternsize.Untrusted(f.name)
		if !f.found {
			budget = patternsize.Budget{Source: f.name, Limit: patternsize.MaxTrusted}
		}
		f.patterns = &budget
	}
	err := f.patterns.Spend(text, measure)
	if err == nil {
		return nil
	}
	if err = fmt.Errorf("%s: %w", key, err); f.found {
		return f.refuse("%w", err)
	}
	return err
}

// spendAll counts the values of a key if they are patterns.
func (f *configFile) spendAll(row *option.Flag, texts []string) error {
	if row.Pattern == nil {
		return nil
	}
	for _, text := range texts {
		if err := f.spend(row.Name, text, row.Pattern); err != nil {
			return err
		}
	}
	return nil
}

// maxFoundValues is the maximum number of values of a key in a file that was found, apart from patterns, which have a
// limit of their own: many are tried for each link.
const maxFoundValues = 250

// limit returns an error if the file was found, and a key has too many values.
func (f *configFile) limit(key string, texts []string) error {
	if f.found && len(texts) > maxFoundValues {
		return f.refuse("%s: it has more than %d values", key, maxFoundValues)
	}
	return nil
}

// variable returns the value of an environment variable that the file names.
func (f *configFile) variable(name string) (string, error) {
	if f.found && !slices.Contains(f.allowEnv, name) {
		return "", f.refuse("a configuration that was not named cannot read the environment variable %s; --allow-env %s allows it", name, name)
	}
	f.expanded = append(f.expanded, name)
	value, ok := f.env(name)
	if !ok {
		return "", fmt.Errorf("the environment variable %s is not set", name)
	}
	return value, nil
}

// refuse returns an error that ends with how to trust the file, or how to do without it.
func (f *configFile) refuse(format string, args ...any) error {
	if f.name != configName { // the settings of an editor
		return fmt.Errorf(format+"; the command line of the server may set it", args...)
	}
	return fmt.Errorf(format+"; if you trust %s, name it: --config %s", append(args, f.name, f.name)...)
}
