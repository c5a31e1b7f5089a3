package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/option"
)

// configText returns a value of the configuration as a command line would give it.
func configText(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case int64:
		return strconv.FormatInt(v, 10), true
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64), true
	}
	return "", false
}

// configTexts returns the value of a key as the texts that a command line would give.
func configTexts(row *option.Flag, value any) ([]string, bool) {
	var texts []string
	add := func(v any) bool {
		t, ok := configText(v)
		if ok && row.Many == option.Union {
			texts = append(texts, option.SplitList(t)...)
		} else if ok {
			texts = append(texts, t)
		}
		return ok
	}
	switch value := value.(type) {
	case []any:
		if row.Many == option.Once {
			return nil, false
		}
		for _, v := range value {
			if !add(v) {
				return nil, false
			}
		}
		return texts, true
	case map[string]any: // header = {Name = "value"}
		if row.Name != "header" {
			return nil, false
		}
		for _, k := range slices.Sorted(maps.Keys(value)) {
			t, ok := configText(value[k])
			if !ok {
				return nil, false
			}
			texts = append(texts, k+": "+t)
		}
		return texts, true
	}
	return texts, add(value)
}

// expandEnv replaces each ${NAME} by the value of the environment variable; $${ is a
// literal ${. A variable that is not set is an error, because an empty secret is worse
// than none.
func expandEnv(text string, variable func(string) (string, error)) (string, error) {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(text, "${")
		if !found {
			out.WriteString(text)
			return out.String(), nil
		}
		if escaped, ok := strings.CutSuffix(before, "$"); ok {
			out.WriteString(escaped + "${")
			text = rest
			continue
		}
		name, after, closed := strings.Cut(rest, "}")
		if !closed {
			return "", fmt.Errorf("${%s has no closing brace", rest)
		}
		value, err := variable(name)
		if err != nil {
			return "", err
		}
		out.WriteString(before + value)
		text = after
	}
}
