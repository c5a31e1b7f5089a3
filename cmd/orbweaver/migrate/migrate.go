package migrate

import (
	"encoding/base64"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
)

// MaxSize is the greatest size in bytes of a file that is read.
const MaxSize = 1 << 20

// Config is what a file asks for.
type Config struct {
	Program  string // whose file it is
	Settings []Setting
	Rules    []Rule
	Skipped  []Skipped
	Targets  []string // what that program would have checked: no setting here, but an argument
}

// Setting is a key of orbweaver.toml.
type Setting struct {
	Key    string   // the long name of a flag
	Values []string // one, or those of a flag that may be repeated
	Switch bool     // the value is "true" or "false"
	Note   string   // how it differs from what the other program did; may be empty
}

// Rule is a [[rule]] of orbweaver.toml.
type Rule struct {
	MatchRE string
	Accept  []string
	Verdict string
	Header  map[string]string
	Rate    string
}

// Skipped is an option that has no counterpart, and why.
type Skipped struct{ Option, Reason string }

// format is one kind of file.
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

// Files are the usual names of the files that can be read.
func Files() []string {
	var names []string
	for _, f := range formats {
		names = append(names, f.files...)
	}
	return names
}

// Read reads the text of a file; its name tells whose it is.
func Read(name string, text []byte) (*Config, error) {
	if len(text) > MaxSize {
		return nil, fmt.Errorf("read %s: it has more than %d bytes", name, MaxSize)
	}
	base := strings.ToLower(filepath.Base(name))
	for _, f := range formats {
		if !f.is(base) {
			continue
		}
		c := &Config{Program: f.program}
		if err := f.read(c, text); err != nil {
			return nil, fmt.Errorf("read %s as %s's: %w", name, f.program, err)
		}
		return c, nil
	}
	return nil, fmt.Errorf("read %s: its name does not tell whose configuration it is: use %s", name, strings.Join(Files(), ", "))
}

// set carries one value over. A repeated key keeps its last value.
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

// setSwitch carries a switch over.
func (c *Config) setSwitch(key string, on bool) {
	c.set(key, fmt.Sprint(on))
	for i := range c.Settings {
		if c.Settings[i].Key == key {
			c.Settings[i].Switch = true
		}
	}
}

// add carries one more value of a list over.
func (c *Config) add(key, note string, values ...string) {
	for i := range c.Settings {
		if c.Settings[i].Key == key {
			c.Settings[i].Values = append(c.Settings[i].Values, values...)
			return
		}
	}
	c.Settings = append(c.Settings, Setting{Key: key, Values: values, Note: note})
}

// skip says that an option is not carried over.
func (c *Config) skip(option, why string) { c.Skipped = append(c.Skipped, Skipped{option, why}) }

// addPattern carries a regular expression over, when it is one here too.
func (c *Config) addPattern(option, key, pattern string) {
	if c.usable(option, pattern) {
		c.add(key, "", pattern)
	}
}

// usable reports whether a pattern means the same here, and says so when not: RE2
// has neither lookaround nor references back.
func (c *Config) usable(option, pattern string) bool {
	if _, err := regexp.Compile(pattern); err != nil {
		c.skip(option, fmt.Sprintf("the pattern %q is none of RE2's: %v", pattern, err))
		return false
	}
	return true
}

// basic is the Authorization header of a name and a password (RFC 7617 section 2).
func basic(user, password string) map[string]string {
	return map[string]string{"Authorization": "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))}
}

// hostPattern matches the web addresses of a host.
func hostPattern(host string) string { return `^https?://` + regexp.QuoteMeta(host) + `(:\d+)?(/|$)` }
