package check

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Level is how severe a finding is because the user said so. It is the word of the verdict
// that the finding gets. The zero value means that the user said nothing.
type Level string

// The levels, most severe first. LevelOff removes a finding.
const (
	LevelBroken     Level = "broken"
	LevelUnverified Level = "unverified"
	LevelWarning    Level = "warning"
	LevelInfo       Level = "info"
	LevelOff        Level = "off"
)

// LevelRule sets the level of a code, on one side or both.
type LevelRule struct {
	Code               Code
	internal, external bool // the sides that it applies to
	Level              Level
}

// Levels are rules for levels. The last one for a code and side applies.
type Levels []LevelRule

// Of returns the level of a code, "" if no rule sets it.
func (l Levels) Of(code Code, internal bool) Level {
	for i := len(l) - 1; i >= 0; i-- {
		if r := &l[i]; r.Code == code && (internal && r.internal || !internal && r.external) {
			return r.Level
		}
	}
	return ""
}

// ParseLevel parses "CODE=LEVEL", "internal:CODE=LEVEL" or "external:CODE=LEVEL". Codes that
// say why a target was not checked have no level, nor has "ok". Codes that begin with the name
// of a plugin and a hyphen are the plugin's own.
func ParseLevel(s string, plugins ...string) (LevelRule, error) {
	r := LevelRule{internal: true, external: true}
	name, level, found := strings.Cut(strings.TrimSpace(s), "=")
	if !found {
		return r, errors.New("use CODE=LEVEL, such as redirect-permanent=broken")
	}
	if side, rest, sided := strings.Cut(name, ":"); sided {
		switch side {
		case "internal":
			r.external = false
		case "external":
			r.internal = false
		default:
			return r, fmt.Errorf("unknown side %q: use internal or external", side)
		}
		name = rest
	}
	e, known := Lookup(Code(name))
	if !known && slices.ContainsFunc(plugins, func(plugin string) bool { return strings.HasPrefix(name, plugin+"-") }) {
		e, known = Entry{Code: Code(name)}, true
	}
	switch {
	case !known || IsFamily(e.Code):
		if near, ok := Nearest(name); ok && near != Code(name) {
			return r, fmt.Errorf("unknown code %q: did you mean %s?", name, near)
		}
		return r, fmt.Errorf("unknown code %q; `orbweaver explain` lists the codes", name)
	case e.Code == CodeOK || e.Internal == Skipped:
		return r, fmt.Errorf("%s is not a finding, so it has no level", name)
	}
	r.Code = e.Code
	switch r.Level = Level(level); r.Level {
	case LevelBroken, LevelUnverified, LevelWarning, LevelInfo, LevelOff:
		return r, nil
	}
	return r, fmt.Errorf("unknown level %q: use broken, unverified, warning, info or off", level)
}
