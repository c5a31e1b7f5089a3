package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/quantity"
	"github.com/orbweaver/orbweaver/crawler/inspect"
)

var pluginKeys = []string{"name", "command", "match", "type", "workers", "timeout", "max-body", "config"}

type block struct {
	where  string // "plugin 2 in orbweaver.toml"
	keys   map[string]any
	faults []error
}

func (b *block) fail(key, format string, args ...any) {
	b.faults = append(b.faults, fmt.Errorf("%s: %s: %s", b.where, key, fmt.Sprintf(format, args...)))
}

func (b *block) unknown(known []string) {
	for _, key := range slices.Sorted(maps.Keys(b.keys)) {
		if !slices.Contains(known, key) {
			b.faults = append(b.faults, fmt.Errorf("%s: %w", b.where, unknownKey(key, known)))
		}
	}
}

// text returns the value of a key, "" if it is missing.
func (b *block) text(key string) string {
	value, given := b.keys[key]
	if !given {
		return ""
	}
	text, ok := value.(string)
	if !ok || text == "" {
		b.fail(key, "use a string")
	}
	return text
}

// texts returns the value of a key that is a string or a list of strings.
func (b *block) texts(key string) []string {
	value, given := b.keys[key]
	if !given {
		return nil
	}
	if text, ok := value.(string); ok {
		return []string{text}
	}
	list, ok := value.([]any)
	texts := make([]string, 0, len(list))
	for _, v := range list {
		text, isText := v.(string)
		ok = ok && isText
		texts = append(texts, text)
	}
	if !ok || len(texts) == 0 {
		b.fail(key, "use a string or a list of strings")
		return nil
	}
	return texts
}

func (b *block) glob(key string) inspect.Glob {
	glob := inspect.Glob(b.text(key))
	if err := glob.Validate(); err != nil {
		b.fail(key, "%q is not allowed: %v", glob, err)
	}
	return glob
}

func (b *block) types(key string) []string {
	types := b.texts(key)
	for i, t := range types {
		types[i] = strings.ToLower(strings.TrimSpace(t))
		if kind, sub, ok := strings.Cut(types[i], "/"); !ok || kind == "" || sub == "" || strings.ContainsAny(t, "; ") {
			b.fail(key, "%q is not a media type, such as text/html", t)
		}
	}
	return types
}

func readPlugins(file *configFile, value any) ([]inspect.Plugin, error) {
	if err := file.permit("plugin", nil); err != nil {
		return nil, err
	}
	tables, ok := value.([]map[string]any)
	if !ok {
		return nil, fmt.Errorf("%s: plugin: write each plugin as a [[plugin]] block", file.name)
	}
	var plugins []inspect.Plugin
	var faults []error
	for i, keys := range tables {
		b := &block{where: fmt.Sprintf("plugin %d in %s", i+1, file.name), keys: keys}
		if name, ok := keys["name"].(string); ok && name != "" {
			b.where = fmt.Sprintf("plugin %q in %s", name, file.name)
		}
		b.unknown(pluginKeys)
		p := inspect.Plugin{Name: b.text("name"), Command: b.texts("command"), Match: b.glob("match"), Types: b.types("type")}
		if n, given := b.keys["workers"]; given {
			if count, ok := n.(int64); ok && count >= 1 && count <= inspect.MaxPluginWorkers {
				p.Workers = int(count)
			} else {
				b.fail("workers", "use a number from 1 to %d", inspect.MaxPluginWorkers)
			}
		}
		p.Timeout = readKey(b, "timeout", "a duration such as 10s", quantity.ParseDuration)
		p.MaxBody = int(min(readKey(b, "max-body", "a size such as 2MiB", quantity.ParseSize), inspect.MaxPluginBody+1))
		if table, given := b.keys["config"]; given {
			var ok bool
			if p.Config, ok = table.(map[string]any); !ok {
				b.fail("config", "use a table: [plugin.config]")
			}
		}
		plugins = append(plugins, p)
		faults = append(faults, b.faults...)
	}
	if faults == nil {
		faults = append(faults, inspect.ValidatePlugins(plugins))
	}
	return plugins, errors.Join(faults...)
}

// readKey parses the value of a key as a flag would; the zero value if it is missing.
func readKey[T int64 | time.Duration](b *block, key, use string, parse func(string) (T, error)) (v T) {
	value, given := b.keys[key]
	if !given {
		return v
	}
	text, ok := configText(value)
	if !ok {
		b.fail(key, "use %s", use)
		return v
	}
	v, err := parse(text)
	switch {
	case err != nil:
		b.fail(key, "%q is not allowed: %v", text, err)
	case v <= 0:
		b.fail(key, "use %s", use)
	}
	return v
}
