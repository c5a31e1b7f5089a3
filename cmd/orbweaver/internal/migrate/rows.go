package migrate

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A row imports one option, or has the reason why it is not imported. A row without both is
// for an option that asks for nothing, or for no more than is always done.
type row struct {
	carry carry
	why   string
}

type carry func(c *Config, option string, v any) error

// carryAll imports the options of a file in the order of their names.
func (c *Config) carryAll(rows map[string]row, keys map[string]any) {
	for _, option := range slices.Sorted(maps.Keys(keys)) {
		row, known := rows[option]
		if !known {
			row.why = "unknown option"
		}
		c.carry(row, option, keys[option])
	}
}

type decoder = func(text []byte, v any) error

// keysOf returns a reader of a file whose keys are options.
func keysOf(decode decoder, take func(c *Config, keys map[string]any)) func(*Config, []byte) error {
	return func(c *Config, text []byte) error {
		var keys map[string]any
		if err := decode(text, &keys); err != nil {
			return err
		}
		take(c, keys)
		return nil
	}
}

// take imports the options of a file or a command that have rows.
func take(rows map[string]row) func(*Config, map[string]any) {
	return func(c *Config, keys map[string]any) { c.carryAll(rows, keys) }
}

func (c *Config) carry(r row, option string, v any) {
	why := r.why
	if r.carry != nil {
		if err := r.carry(c, option, v); err != nil {
			why = err.Error()
		}
	}
	if why != "" {
		c.skip(option, why)
	}
}

// Effects are what a value of an option sets, separated by blanks: KEY=VALUE, or KEY for a
// switch. "!REASON" imports nothing and has the reason.
type effects string

// lists are the keys in effects that can have several values.
var lists = []string{"exclude", "ignore-fragment", "level"}

func (e effects) apply(c *Config) error {
	if why, left := strings.CutPrefix(string(e), "!"); left {
		return errors.New(why)
	}
	for effect := range strings.FieldsSeq(string(e)) {
		key, value, valued := strings.Cut(effect, "=")
		switch {
		case !valued:
			c.set(key, "true").Switch = true
		case slices.Contains(lists, key):
			c.add(key, "", value)
		case key == "check":
			c.addCheck(value)
		default:
			c.set(key, value)
		}
	}
	return nil
}

// on imports a switch that has effects if it is on, off one that has them if it is off.
func on(e effects) carry  { return switched(e, "") }
func off(e effects) carry { return switched("", e) }

func switched(ifOn, ifOff effects) carry {
	return func(c *Config, _ string, v any) error {
		if isTrue(v) {
			return ifOn.apply(c)
		}
		return ifOff.apply(c)
	}
}

// choice imports one of several words. Other words are errors, unless there is no message.
func choice(wrong string, words map[string]effects) carry {
	return func(c *Config, _ string, v any) error {
		t, _ := text(v)
		e, known := words[t]
		if !known && wrong != "" {
			return fmt.Errorf(wrong, t)
		}
		return e.apply(c)
	}
}

// lower imports a word regardless of its case.
func lower(next carry) carry {
	return func(c *Config, option string, v any) error {
		t, _ := text(v)
		return next(c, option, strings.ToLower(t))
	}
}

// noFormat and alwaysReport are why outputs are not imported.
const (
	noFormat     = "there is no format like %q"
	alwaysReport = "!standard output always gets a report"
)

// oneText imports a single value as it is.
func oneText(key string) carry {
	return func(c *Config, _ string, v any) error {
		t, ok := text(v)
		if !ok {
			return errors.New("it is not a single value")
		}
		c.set(key, t)
		return nil
	}
}

// duration imports a duration, in seconds if it has no unit.
func duration(key string) carry {
	return func(c *Config, _ string, v any) error {
		t, err := seconds(v)
		if err == nil {
			c.set(key, t)
		}
		return err
	}
}

// joined imports a list as one value with commas.
func joined(key string) carry {
	return func(c *Config, _ string, v any) error {
		c.set(key, strings.Join(texts(v), ","))
		return nil
	}
}

// each imports the texts of a list, or a single one. An error concerns one of them.
func each(one func(c *Config, t string) error) carry {
	return func(c *Config, option string, v any) error {
		for _, t := range texts(v) {
			if err := one(c, t); err != nil {
				c.skip(option, err.Error())
			}
		}
		return nil
	}
}

// patterns imports a list of regular expressions.
func patterns(key string) carry { return each(pattern(key)) }

func pattern(key string) func(*Config, string) error {
	return func(c *Config, p string) error {
		err := usable(p)
		if err == nil {
			c.add(key, "", p)
		}
		return err
	}
}

// addRule imports a rule for the URLs that a pattern matches.
func (c *Config) addRule(r Rule) error {
	err := usable(r.MatchRE)
	if err == nil {
		c.Rules = append(c.Rules, r)
	}
	return err
}

// otherFile is for options that name another file of settings.
func otherFile(_ *Config, _ string, v any) error {
	t, ok := text(v)
	if !ok || t == "" {
		return errors.New("it does not name a file")
	}
	return fmt.Errorf("import that file as well: --from %s", readable(t))
}

const headersNote = "sent only to start targets; for others use a [[rule]]"

// entries imports a table, entry by entry in the order of their keys. An error concerns one of them.
func entries(what string, one func(c *Config, key string, v any) error) carry {
	return func(c *Config, option string, v any) error {
		all, ok := v.(map[string]any)
		if !ok {
			return errors.New("it is not a table" + what)
		}
		for _, key := range slices.Sorted(maps.Keys(all)) {
			if err := one(c, key, all[key]); err != nil {
				c.skip(option, err.Error())
			}
		}
		return nil
	}
}

// items imports a list. An error concerns one of its items.
func items(one func(c *Config, item any) error) carry {
	return func(c *Config, option string, v any) error {
		all, ok := v.([]any)
		if !ok {
			return errors.New("it is not a list")
		}
		for _, item := range all {
			if err := one(c, item); err != nil {
				c.skip(option, err.Error())
			}
		}
		return nil
	}
}

// tables imports a list of tables that have a text in a field.
func tables(field string, one func(c *Config, entry map[string]any, t string) error) carry {
	return items(func(c *Config, item any) error {
		entry, _ := item.(map[string]any)
		t, ok := text(entry[field])
		if !ok {
			return errors.New("an entry has no " + field)
		}
		return one(c, entry, t)
	})
}

// subtable imports a table of options of its own.
func subtable(rows map[string]row) carry {
	return func(c *Config, option string, v any) error {
		table, ok := v.(map[string]any)
		if !ok {
			return errors.New("it is not a table")
		}
		c.within(option+".", func(one *Config) { one.carryAll(rows, table) })
		return nil
	}
}

// headers imports a table of header fields, or a list of those as they are sent.
func headers(c *Config, _ string, v any) error {
	if table, ok := v.(map[string]any); ok {
		for _, name := range slices.Sorted(maps.Keys(table)) {
			if t, ok := text(table[name]); ok {
				c.add("header", headersNote, name+": "+t)
			}
		}
		return nil
	}
	for _, t := range texts(v) {
		if name, value, ok := strings.Cut(t, "="); ok && !strings.Contains(name, ":") {
			t = name + ": " + value // the syntax of older versions of lychee
		}
		c.add("header", headersNote, t)
	}
	return nil
}

// headerRule imports header fields for the URLs that a pattern matches.
func (c *Config) headerRule(match string, fields map[string]any) error {
	return c.addRule(Rule{MatchRE: match, Header: fieldTexts(fields)})
}

func fieldTexts(fields map[string]any) map[string]string {
	header := map[string]string{}
	for name, v := range fields {
		header[name], _ = text(v)
	}
	return header
}

func hasRow(rows map[string]row, option string) bool { _, has := rows[option]; return has }
