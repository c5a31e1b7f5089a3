package migrate

import (
	"encoding/base64"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/lazy"
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
	Site          Site   // what is built, if the file is a site generator's

	file      string            // its name, with /
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
type Skipped struct{ File, Option, Reason string }

// Group returns one entry for all options of a file that are not imported for the same reason,
// in the order of the first ones. Their names are joined; more than most are counted, unless
// most is 0.
func Group(all []Skipped, most int) (groups []Skipped) {
	type key struct{ file, reason string }
	names := map[key][]string{}
	for _, s := range all {
		k := key{s.File, s.Reason}
		if names[k] == nil {
			groups = append(groups, Skipped{File: s.File, Reason: s.Reason})
		}
		if !slices.Contains(names[k], s.Option) {
			names[k] = append(names[k], s.Option)
		}
	}
	for i := range groups {
		g := &groups[i]
		options := names[key{g.File, g.Reason}]
		more := ""
		if n := len(options) - most; most > 0 && n > 1 {
			options, more = options[:most], fmt.Sprintf(" and %d more", n)
		}
		g.Option = strings.Join(options, ", ") + more
	}
	return groups
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
	if other.Site != (Site{}) {
		c.Site = other.Site
	}
	if c.LoginPassword == "" {
		c.LoginPassword = other.LoginPassword
	}
}

// within merges what read imports. The names of options that are not imported begin with a prefix.
func (c *Config) within(prefix string, read func(one *Config)) {
	one := &Config{}
	read(one)
	for i := range one.Skipped {
		one.Skipped[i].Option = prefix + one.Skipped[i].Option
	}
	c.Merge(one)
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

func (c *Config) addCheck(group string) {
	s := c.setting("check")
	if s == nil {
		c.set("check", group)
	} else if !slices.Contains(strings.Split(s.Values[0], ","), group) {
		s.Values[0] += "," + group
	}
}

func (c *Config) skip(option, why string) {
	c.Skipped = append(c.Skipped, Skipped{Option: option, Reason: why})
}

// usable returns an error if a pattern is not valid in RE2, which has no lookaround and no
// backreferences.
func usable(pattern string) error {
	_, err := regexp.Compile(pattern)
	if err != nil {
		err = fmt.Errorf("the pattern %q is not valid in RE2: %w", pattern, err)
		if lookAround().MatchString(pattern) {
			err = fmt.Errorf("%w; look-around is not supported", err)
		}
	}
	return err
}

var lookAround = lazy.Regexp(`\(\?<?[=!]`)

// basic returns the Authorization header for a name and a password (RFC 7617 section 2).
func basic(user, password string) map[string]string {
	return map[string]string{"Authorization": "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))}
}

// hostPattern returns a pattern for the http and https URLs of a host.
func hostPattern(host string) string { return `^https?://` + regexp.QuoteMeta(host) + `(:\d+)?(/|$)` }

// Site is what a site generator writes.
type Site struct {
	Dir     string // the directory of the pages, with /
	Command string // the command that builds them
}

// addWrittenRemap imports the replacement of a part of links as they are written. Here, the
// resolved URL is replaced.
func (c *Config) addWrittenRemap(p, replacement string) error {
	if strings.HasPrefix(p, "^") && !strings.HasPrefix(p, "^http") {
		return fmt.Errorf("%q matches links as they are written; write a --remap for the resolved URL", p)
	}
	return c.addRemap(p, replacement)
}
