package migrate

import (
	"encoding/base64"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// MaxSize is the maximum size of a file, in bytes.
const MaxSize = 1 << 20

// Config contains the imported settings of a file.
type Config struct {
	Program  string // the link checker that the file belongs to
	Settings []Setting
	Rules    []Rule
	Content  []ContentRule
	Skipped  []Skipped
	Targets  []string // the targets in the file; they are arguments of check, not settings

	LoginPassword string // for login-user; it is not a setting

	dir, base string            // the directory and the URL of the site
	outputs   map[string]string // names of output files, by type
}

// Setting is a key of orbweaver.toml.
type Setting struct {
	Key    string   // the long name of a flag
	Values []string // one value, or several for a repeatable flag
	Switch bool     // the value is "true" or "false"
	List   bool     // values of several files are combined
	Note   string   // how the effect differs from that in the other program; may be empty
}

// Rule is a [[rule]] of orbweaver.toml.
type Rule struct {
	MatchRE string
	Accept  []string
	Verdict string
	Header  map[string]string
	Rate    string
	Level   []string
	Note    string // how the effect differs from that in the other program; may be empty
}

// empty reports whether the rule would have no effect.
func (r *Rule) empty() bool {
	return r.Accept == nil && r.Verdict == "" && r.Header == nil && r.Rate == "" && r.Level == nil
}

// ContentRule is a [[content]] of orbweaver.toml.
type ContentRule struct {
	Name  string
	Not   []string
	In    string
	Level string
}

// Skipped is an option that was not imported, and the reason.
type Skipped struct{ Option, Reason string }

// format is a file format.
type format struct {
	program string   // empty if the file says it
	files   []string // usual names, with / between directories
	is      func(base string, text []byte) bool
	read    func(c *Config, text []byte) error
}

// formats are the files that can be read. The first one that a file is applies.
var formats = []format{
	{"lychee", []string{".lycheeignore"}, named("lycheeignore"), readLycheeIgnore},
	{"lychee", []string{"Cargo.toml"}, exactly("cargo.toml"), readLycheeIn("package.metadata.lychee", "workspace.metadata.lychee")},
	{"lychee", []string{"pyproject.toml"}, exactly("pyproject.toml"), readLycheeIn("tool.lychee")},
	{"lychee", []string{"lychee.toml"}, named(".toml"), readLychee},
	{"LinkChecker", []string{"linkcheckerrc", ".linkcheckerrc"}, func(base string, _ []byte) bool {
		return strings.Contains(base, "linkchecker") || strings.HasSuffix(base, ".ini")
	}, readLinkChecker},
	{"htmltest", []string{".htmltest.yml"}, isHTMLTest, readHTMLTest},
	{"", []string{"package.json"}, exactly("package.json"), readPackage},
	{"linkinator", []string{"linkinator.config.json"}, named(".json"), readLinkinator},
	{"", []string{"GNUmakefile", "makefile", "Makefile"}, func(base string, _ []byte) bool {
		return strings.Contains(base, "makefile") || strings.HasSuffix(base, ".mk")
	}, readMakefile},
	{"", []string{".github/workflows/*.yml", ".github/workflows/*.yaml", ".gitlab-ci.yml", ".circleci/config.yml", ".travis.yml", "azure-pipelines.yml",
		"bitbucket-pipelines.yml", ".pre-commit-config.yaml", "Taskfile.yml"}, named(".yml", ".yaml"), readWorkflow},
}

// scripts are files of settings that are programs, which are not run.
var scripts = []string{"linkinator.config.js", "linkinator.config.mjs", "linkinator.config.cjs"}

func named(suffixes ...string) func(string, []byte) bool {
	return func(base string, _ []byte) bool {
		return slices.ContainsFunc(suffixes, func(s string) bool { return strings.HasSuffix(base, s) })
	}
}

func exactly(name string) func(string, []byte) bool {
	return func(base string, _ []byte) bool { return base == name }
}

// Files returns the usual names of the files that can be read.
func Files() []string {
	var names []string
	for _, f := range formats {
		names = append(names, f.files...)
	}
	return names
}

// Read reads the text of a file. The file name determines the format. A workflow, a makefile or
// a file of a package without settings of a link checker has an empty Config, without a
// Program.
func Read(name string, text []byte) (*Config, error) {
	if len(text) > MaxSize {
		return nil, fmt.Errorf("read %s: it is larger than %d bytes", name, MaxSize)
	}
	base := strings.ToLower(filepath.Base(name))
	for _, f := range formats {
		if !f.is(base, text) {
			continue
		}
		c := &Config{Program: f.program}
		if err := f.read(c, text); err != nil {
			program := f.program
			if program == "" {
				program = "a link checker"
			}
			return nil, fmt.Errorf("read %s as configuration of %s: %w", name, program, err)
		}
		c.completeExceptions()
		if f.program != "" && c.Empty() && (base == "cargo.toml" || base == "pyproject.toml") {
			c.Program = ""
		}
		return c, nil
	}
	return nil, fmt.Errorf("read %s: unknown file name: use %s", name, strings.Join(Files(), ", "))
}

// Empty reports whether nothing was imported and nothing was left out.
func (c *Config) Empty() bool {
	return len(c.Settings) == 0 && len(c.Rules) == 0 && len(c.Content) == 0 && len(c.Skipped) == 0 && len(c.Targets) == 0
}

// setting returns the setting of a key, nil if there is none.
func (c *Config) setting(key string) *Setting {
	for i := range c.Settings {
		if c.Settings[i].Key == key {
			return &c.Settings[i]
		}
	}
	return nil
}

// set imports a value. If the key is set already, it replaces the value.
func (c *Config) set(key, value string) *Setting {
	s := c.setting(key)
	if s == nil {
		c.Settings = append(c.Settings, Setting{})
		s = &c.Settings[len(c.Settings)-1]
	}
	*s = Setting{Key: key, Values: []string{value}}
	return s
}

// add imports values of a list, in addition to those that the key has.
func (c *Config) add(key, note string, values ...string) {
	if s := c.setting(key); s != nil {
		s.Values = append(s.Values, values...)
		return
	}
	c.Settings = append(c.Settings, Setting{Key: key, Values: values, List: true, Note: note})
}

// Merge adds the settings of another file, which take precedence. A value that it replaces
// becomes one that is not imported.
func (c *Config) Merge(other *Config) {
	for _, s := range other.Settings {
		had := c.setting(s.Key)
		switch {
		case had == nil:
			s.Values = slices.Clone(s.Values)
			c.Settings = append(c.Settings, s)
		case s.Key == "check":
			for _, group := range strings.Split(s.Values[0], ",") {
				c.addCheck(group)
			}
		case s.List:
			for _, v := range s.Values {
				if !slices.Contains(had.Values, v) {
					had.Values = append(had.Values, v)
				}
			}
		default:
			if was := had.Values[0]; was != s.Values[0] {
				if s.secret() {
					c.skip(s.Key, "another command or file sets another value")
				} else {
					c.skip(s.Key+" = "+was, "another command or file sets "+s.Values[0])
				}
			}
			*had = s
		}
	}
	c.Rules = append(c.Rules, other.Rules...)
	for _, r := range other.Content {
		c.Content = slices.DeleteFunc(c.Content, func(have ContentRule) bool { return have.Name == r.Name })
		c.Content = append(c.Content, r)
	}
	c.Skipped = append(c.Skipped, other.Skipped...)
	for _, t := range other.Targets {
		if !slices.Contains(c.Targets, t) {
			c.Targets = append(c.Targets, t)
		}
	}
	if c.LoginPassword == "" {
		c.LoginPassword = other.LoginPassword
	}
}

// addRemap imports the replacement of a part of URLs.
func (c *Config) addRemap(pattern, replacement string) error {
	err := usable(pattern)
	if err == nil {
		c.add("remap", "", strings.ReplaceAll(pattern, "=", `\=`)+"="+replacement)
	}
	return err
}

// completeExceptions excludes everything else if there are exceptions to exclusions that were
// not imported: then only what the exceptions match is checked.
func (c *Config) completeExceptions() {
	if c.setting("exclude-except") != nil && c.setting("exclude") == nil {
		c.add("exclude", "", ".")
	}
}

// addCheck imports a group of content checks.
func (c *Config) addCheck(group string) {
	s := c.setting("check")
	if s == nil {
		c.set("check", group)
	} else if !slices.Contains(strings.Split(s.Values[0], ","), group) {
		s.Values[0] += "," + group
	}
}

// skip records that an option is not imported.
func (c *Config) skip(option, why string) { c.Skipped = append(c.Skipped, Skipped{option, why}) }

// usable returns an error if a pattern is not valid in RE2, which has no lookaround and no
// backreferences.
func usable(pattern string) error {
	_, err := regexp.Compile(pattern)
	if err != nil {
		err = fmt.Errorf("the pattern %q is not valid in RE2: %w", pattern, err)
		if lookAround.MatchString(pattern) {
			err = fmt.Errorf("%w; look-around is not supported", err)
		}
	}
	return err
}

var lookAround = regexp.MustCompile(`\(\?<?[=!]`)

// basic returns the Authorization header for a name and a password (RFC 7617 section 2).
func basic(user, password string) map[string]string {
	return map[string]string{"Authorization": "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))}
}

// hostPattern returns a pattern for the http and https URLs of a host.
func hostPattern(host string) string { return `^https?://` + regexp.QuoteMeta(host) + `(:\d+)?(/|$)` }
