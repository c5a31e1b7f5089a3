package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/patternsize"
	"github.com/orbweaver/orbweaver/crawler/inspect"
)

var contentKeys = []string{"name", "match", "type", "must", "not", "in", "level"}

func readContent(file *configFile, value any) (*inspect.ContentRules, error) {
	if err := file.permit("content", nil); err != nil {
		return nil, err
	}
	blocks, ok := value.([]map[string]any)
	if !ok {
		return nil, fmt.Errorf("%s: content: write each rule as a [[content]] block", file.name)
	}
	rules := make([]inspect.ContentRule, len(blocks))
	var faults []error
	for i, keys := range blocks {
		rule := &rules[i]
		rule.Name, _ = keys["name"].(string)
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			err := readContentKey(rule, key, keys[key])
			if err == nil {
				err = spendContent(file, rule, key)
			}
			if err != nil {
				faults = append(faults, contentFault(i+1, rule.Name, key, err))
			}
		}
	}
	if len(faults) == 0 {
		set, err := inspect.CompileContent(rules)
		if err == nil {
			return set, nil
		}
		faults = []error{err}
		if all, ok := err.(interface{ Unwrap() []error }); ok {
			faults = all.Unwrap()
		}
	}
	for i, fault := range faults {
		faults[i] = fmt.Errorf("%s: %w", file.name, fault)
	}
	return nil, errors.Join(faults...)
}

// contentFault returns the error for a key of a rule, which may have no name.
func contentFault(number int, name, key string, err error) error {
	if name != "" {
		return fmt.Errorf("content rule %q: %s: %w", name, key, err)
	}
	return fmt.Errorf("content rule %d: %s: %w", number, key, err)
}

func readContentKey(rule *inspect.ContentRule, key string, value any) error {
	text, isText := value.(string)
	texts := []string{text}
	if list, ok := value.([]any); ok && (key == "must" || key == "not" || key == "type") {
		texts, isText = nil, true
		for _, v := range list {
			t, ok := v.(string)
			isText = isText && ok
			texts = append(texts, t)
		}
	}
	if slices.Contains(contentKeys, key) && !isText {
		if key == "must" || key == "not" || key == "type" {
			return errors.New("use a string or an array of strings")
		}
		return errors.New("use a string")
	}
	switch key {
	case "name":
	case "match":
		rule.Match = inspect.Glob(text)
		if err := rule.Match.Validate(); err != nil {
			return fmt.Errorf("%q is not allowed: %w", text, err)
		}
	case "type":
		for _, t := range texts {
			rule.Types = append(rule.Types, strings.ToLower(t))
		}
	case "must":
		rule.Must = texts
	case "not":
		rule.Not = texts
	case "in":
		rule.In = text
	case "level":
		rule.Level = text
	default:
		if near := nearest(key, contentKeys); near != "" {
			return fmt.Errorf("unknown key: did you mean %s?", near)
		}
		return fmt.Errorf("unknown key: use %s", strings.Join(contentKeys, ", "))
	}
	return nil
}

func spendContent(file *configFile, rule *inspect.ContentRule, key string) error {
	texts, size := map[string][]string{"must": rule.Must, "not": rule.Not}[key], patternsize.Text
	switch key {
	case "match":
		texts, size = []string{string(rule.Match)}, patternsize.Glob
	case "in":
		texts, size = []string{rule.In}, patternsize.Selector
	}
	for _, text := range texts {
		if err := file.spend(key, text, size); err != nil {
			return err
		}
	}
	return nil
}
