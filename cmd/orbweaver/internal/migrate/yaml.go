package migrate

import (
	"errors"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// Limits of YAML files, which may come from strangers: of the levels of nesting, and of the
// values after aliases are replaced.
const (
	maxYAMLDepth  = 200
	maxYAMLValues = 200_000
)

// decodeYAML reads a YAML file into v.
func decodeYAML(text []byte, v any) error {
	if deepestFlow(text) > maxYAMLDepth {
		return errors.New("it is nested too deeply")
	}
	file, err := parser.ParseBytes(text, 0)
	if err == nil {
		s := yamlSizes{anchors: map[string]int{}}
		for _, doc := range file.Docs {
			if s.of(doc.Body, 0) > maxYAMLValues {
				return errors.New("it has too many values, or is nested too deeply")
			}
		}
		err = yaml.UnmarshalWithOptions(text, v)
	}
	if err != nil {
		message, _, _ := strings.Cut(err.Error(), "\n")
		return errors.New(message)
	}
	return nil
}

// deepestFlow returns an upper limit for the nesting of brackets and indentation, so that the
// parser, which is recursive, reads only what has few levels.
func deepestFlow(text []byte) int {
	deepest, depth, dashes := 0, 0, 0
	for _, c := range text {
		switch c {
		case '[', '{':
			depth++
		case ']', '}':
			depth = max(depth-1, 0)
		case '-', '?', ' ', ':':
			if c != ' ' {
				dashes++
			}
			deepest = max(deepest, dashes)
			continue
		}
		dashes = 0
		deepest = max(deepest, depth)
	}
	return deepest
}

// yamlSizes computes how many values a node has after its aliases are replaced.
type yamlSizes struct{ anchors map[string]int }

func (s *yamlSizes) of(node ast.Node, depth int) int {
	if depth > maxYAMLDepth {
		return maxYAMLValues + 1
	}
	n := 1
	add := func(child ast.Node) { n = min(n+s.of(child, depth+1), maxYAMLValues+1) }
	switch node := node.(type) {
	case *ast.MappingNode:
		for _, v := range node.Values {
			add(v)
		}
	case *ast.MappingValueNode:
		add(node.Key)
		add(node.Value)
	case *ast.MappingKeyNode:
		add(node.Value)
	case *ast.SequenceNode:
		for _, v := range node.Values {
			add(v)
		}
	case *ast.TagNode:
		add(node.Value)
	case *ast.AnchorNode:
		add(node.Value)
		s.anchors[node.Name.String()] = n
	case *ast.AliasNode:
		n += s.anchors[node.Value.String()]
	}
	return min(n, maxYAMLValues+1)
}
