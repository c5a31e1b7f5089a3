package migrate

import (
	"errors"
	"strings"

	"go.yaml.in/yaml/v3"
)

// decodeYAML reads a YAML file into v. Files may come from strangers: the library limits the
// levels of nesting, and what aliases stand for.
func decodeYAML(text []byte, v any) error {
	var doc yaml.Node
	err := yaml.Unmarshal(text, &doc)
	if err == nil {
		keysAreText(&doc)
		err = doc.Decode(v)
	}
	if wrong := (*yaml.TypeError)(nil); errors.As(err, &wrong) {
		return errors.New(wrong.Errors[0])
	}
	if err != nil {
		message, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), "yaml: "), "\n")
		return errors.New(message)
	}
	return nil
}

// keysAreText makes keys that look like numbers or switches text, as in JSON: 404 and on.
func keysAreText(n *yaml.Node) {
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 && child.Kind == yaml.ScalarNode && child.Tag != "!!merge" {
			child.Tag = "!!str"
		}
		keysAreText(child)
	}
}
