package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/similar"
)

// Kind is the type of a value, as JSON Schema calls it.
type Kind string

const (
	// Text is a string.
	Text Kind = "string"
	// Whole is a whole number.
	Whole Kind = "integer"
	// Switch is true or false.
	Switch Kind = "boolean"
	// Texts is an array of strings.
	Texts Kind = "array"
	// Members is an object.
	Members Kind = "object"
)

type argument struct {
	name        string
	kind        Kind
	doc         string
	required    bool
	least, most int      // of a whole number, or of the items of an array
	words       []string // the allowed values
	number      bool     // a string that may be a number
	members     []argument
}

func (a *argument) schema() map[string]any {
	s := map[string]any{"type": string(a.kind)}
	if a.number {
		s["type"] = []string{string(Text), string(Whole)}
	}
	if a.doc != "" {
		s["description"] = a.doc
	}
	switch {
	case a.kind == Whole:
		s["minimum"], s["maximum"] = a.least, a.most
	case a.kind == Texts:
		items := map[string]any{"type": "string"}
		if a.words != nil {
			items["enum"] = a.words
		}
		s["items"] = items
		if a.most > 0 {
			s["minItems"], s["maxItems"] = a.least, a.most
		}
	case a.kind == Members:
		return inputSchema(a.members, s)
	case a.words != nil:
		s["enum"] = a.words
	}
	return s
}

// inputSchema completes the schema of an object with these members and no others.
func inputSchema(members []argument, s map[string]any) map[string]any {
	properties, required := map[string]any{}, []string{}
	for i := range members {
		properties[members[i].name] = members[i].schema()
		if members[i].required {
			required = append(required, members[i].name)
		}
	}
	s["type"], s["properties"], s["additionalProperties"] = "object", properties, false
	if len(required) > 0 {
		s["required"] = required
	}
	return s
}

type arguments map[string]any

func (a arguments) text(name string) string { s, _ := a[name].(string); return s }

func (a arguments) is(name string) bool { b, _ := a[name].(bool); return b }

func (a arguments) number(name string, usual int) int {
	if n, ok := a[name].(json.Number); ok {
		i, _ := n.Int64() // it was checked
		return int(i)
	}
	return usual
}

func (a arguments) texts(name string) []string {
	list, _ := a[name].([]any)
	texts := make([]string, 0, len(list))
	for _, item := range list {
		s, _ := item.(string)
		texts = append(texts, s)
	}
	return texts
}

// readArguments reads arguments by their table. The error names the argument and what is allowed.
func readArguments(raw json.RawMessage, allowed []argument) (arguments, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		raw = json.RawMessage("{}")
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var all map[string]any
	if err := d.Decode(&all); err != nil {
		return nil, errors.New("the arguments are not a JSON object: give them as its members")
	}
	return all, checkMembers("", all, allowed)
}

func checkMembers(within string, all map[string]any, allowed []argument) error {
	names := make([]string, len(allowed))
	for i := range allowed {
		names[i] = allowed[i].name
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		at := slices.Index(names, name)
		if at < 0 {
			text, _ := cut(name, maxText)
			message := fmt.Sprintf("unknown argument %q", within+text)
			if near := similar.Word(name, names); near != "" {
				message += fmt.Sprintf(": did you mean %q?", near)
			} else {
				message += ": use " + strings.Join(names, ", ")
			}
			return fmt.Errorf("%s", message)
		}
		if err := allowed[at].check(within, all[name]); err != nil {
			return err
		}
	}
	for i := range allowed {
		if _, given := all[allowed[i].name]; allowed[i].required && !given {
			return fmt.Errorf("%s%s is missing: give %s", within, allowed[i].name, allowed[i].what())
		}
	}
	return nil
}

func (a *argument) check(within string, value any) error {
	wrong := func() error { return fmt.Errorf("%s%s must be %s", within, a.name, a.what()) }
	switch a.kind {
	case Text:
		s, ok := value.(string)
		if n, number := value.(json.Number); number && a.number {
			_, err := n.Int64()
			s, ok = n.String(), err == nil
		}
		if !ok || a.words != nil && !slices.Contains(a.words, s) {
			return wrong()
		}
	case Whole:
		number, ok := value.(json.Number)
		n, err := number.Int64()
		if !ok || err != nil || n < int64(a.least) || n > int64(a.most) {
			return wrong()
		}
	case Switch:
		if _, ok := value.(bool); !ok {
			return wrong()
		}
	case Texts:
		list, ok := value.([]any)
		if !ok || a.most > 0 && (len(list) < a.least || len(list) > a.most) {
			return wrong()
		}
		for _, item := range list {
			if s, ok := item.(string); !ok || a.words != nil && !slices.Contains(a.words, s) {
				return wrong()
			}
		}
	case Members:
		members, ok := value.(map[string]any)
		if !ok {
			return wrong()
		}
		return checkMembers(a.name+".", members, a.members)
	}
	return nil
}

// what says which values are allowed.
func (a *argument) what() string {
	switch {
	case a.kind == Texts && a.words != nil:
		return "an array of " + strings.Join(a.words, ", ")
	case a.kind == Texts && a.most > 0:
		return fmt.Sprintf("an array of %d to %d strings", a.least, a.most)
	case a.kind == Texts:
		return "an array of strings"
	case a.words != nil:
		return "one of " + strings.Join(a.words, ", ")
	case a.kind == Whole:
		return fmt.Sprintf("a whole number from %d to %d", a.least, a.most)
	case a.kind == Switch:
		return "true or false"
	case a.kind == Members:
		return "an object"
	case a.number:
		return "a string or a whole number"
	}
	return "a string"
}

// Results are described by schemas of which all members but the optional ones are required.
func object(required map[string]any, optional map[string]any) map[string]any {
	properties := maps.Clone(required)
	maps.Copy(properties, optional)
	s := map[string]any{"type": "object", "properties": properties}
	if len(required) > 0 {
		s["required"] = slices.Sorted(maps.Keys(required))
	}
	return s
}

func array(items any) map[string]any { return map[string]any{"type": "array", "items": items} }

var (
	isText   = map[string]any{"type": "string"}
	isNumber = map[string]any{"type": "integer"}
	isSwitch = map[string]any{"type": "boolean"}
	isCursor = map[string]any{"type": []string{"string", "null"}}
	isTexts  = map[string]any{"type": "array", "items": isText}
	isAny    = map[string]any{"type": "object"}
)
