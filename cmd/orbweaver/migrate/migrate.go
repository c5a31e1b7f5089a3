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
}

// Setting is a key of orbweaver.toml.
type Setting struct {
	Key    string   // the long name of a flag
	Values []string // one value, or several for a repeatable flag
	Switch bool     // the value is "true" or "false"
	Note   string   // how the effect differs from that in the other program; may be empty
}

// Rule is a [[rule]] of orbweaver.toml.
type Rule struct {
	MatchRE string
	Accept  []string
	Verdict string
	Header  map[string]string
	Rate    string
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
	program string
	files   []string // usual names
	is      func(base string) bool
	read    func(c *Config, text []byte) error
}

var formats = []format{
	{"lychee", []string{".lycheeignore"}, func(b string) bool { return strings.HasSuffix(b, "lycheeignore") }, readLycheeIgnore},
	{"lychee", []string{"lychee.toml"}, func(b string) bool { return strings.HasSuffix(b, ".toml") }, readLychee},
	{"LinkChecker", []string{"linkcheckerrc"}, func(b string) bool {
		return strings.Contains(b, "linkchecker") || strings.HasSuffix(b, ".ini")
	}, readLinkChecker},
	{"htmltest", []string{".htmltest.yml"}, func(b string) bool {
		return strings.HasSuffix(b, ".yml") || strings.HasSuffix(b, ".yaml")
	}, readHTMLTest},
}

// Files returns the usual names of the files that can be read.
func Files() []string {
	var names []string
	for _, f := range formats {
		names = append(names, f.files...)
	}
	return names
}

// Read reads the text of a file. The file name determines the format.
func Read(name string, text []byte) (*Config, error) {
	if len(text) > MaxSize {
		return nil, fmt.Errorf("read %s: it is larger than %d bytes", name, MaxSize)
	}
	base := strings.ToLower(filepath.Base(name))
	for _, f := range formats {
		if !f.is(base) {
			continue
		}
		c := &Config{Program: f.program}
		if err := f.read(c, text); err != nil {
			return nil, fmt.Errorf("read %s as configuration of %s: %w", name, f.program, err)
		}
		return c, nil
	}
	return nil, fmt.Errorf("read %s: unknown file name: use %s", name, strings.Join(Files(), ", "))
}

// set imports a value. If the key is set already, it replaces the value.
func (c *Config) set(key, value string) { c.setNote(key, value, "") }

func (c *Config) setNote(key, value, note string) {
	for i := range c.Settings {
		if c.Settings[i].Key == key {
			c.Settings[i] = Setting{Key: key, Values: []string{value}, Note: note}
			return
		}
	}
	c.Settings = append(c.Settings, Setting{Key: key, Values: []string{value}, Note: note})
}

// setSwitch imports a switch.
func (c *Config) setSwitch(key string, on bool) {
	c.set(key, fmt.Sprint(on))
	for i := range c.Settings {
		if c.Settings[i].Key == key {
			c.Settings[i].Switch = true
		}
	}
}

// add imports values of a list, in addition to those that the key has.
func (c *Config) add(key, note string, values ...string) {
	for i := range c.Settings {
		if c.Settings[i].Key == key {
			c.Settings[i].Values = append(c.Settings[i].Values, values...)
			return
		}
	}
	c.Settings = append(c.Settings, Setting{Key: key, Values: values, Note: note})
}

// addCheck imports a group of content checks.
func (c *Config) addCheck(group string) {
	for i := range c.Settings {
		if s := &c.Settings[i]; s.Key == "check" {
			if !slices.Contains(strings.Split(s.Values[0], ","), group) {
				s.Values[0] += "," + group
			}
			return
		}
	}
	c.set("check", group)
}

// skip records that an option is not imported.
func (c *Config) skip(option, why string) { c.Skipped = append(c.Skipped, Skipped{option, why}) }

// addPattern imports a regular expression if it is valid in RE2.
func (c *Config) addPattern(option, key, pattern string) {
	if c.usable(option, pattern) {
		c.add(key, "", pattern)
	}
}

// usable reports whether a pattern is valid in RE2, which has no lookaround and no
// backreferences. If not, it records the option as skipped.
func (c *Config) usable(option, pattern string) bool {
	if _, err := regexp.Compile(pattern); err != nil {
		why := fmt.Sprintf("the pattern %q is not valid in RE2: %v", pattern, err)
		if lookAround.MatchString(pattern) {
			why += "; look-around is not supported"
		}
		c.skip(option, why)
		return false
	}
	return true
}

var lookAround = regexp.MustCompile(`\(\?<?[=!]`)

// basic returns the Authorization header for a name and a password (RFC 7617 section 2).
func basic(user, password string) map[string]string {
	return map[string]string{"Authorization": "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))}
}

// hostPattern returns a pattern for the http and https URLs of a host.
func hostPattern(host string) string { return `^https?://` + regexp.QuoteMeta(host) + `(:\d+)?(/|$)` }
