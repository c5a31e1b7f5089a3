package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const schemaURL = "urn:orbweaver:test:schema"

// compileSchema compiles a part of the schema. If strict, unknown fields are errors, so
// that every field must be described.
func compileSchema(t testing.TB, part string, strict bool) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	delete(doc.(map[string]any), "$id")
	if strict {
		forbidUnknown(doc)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource(schemaURL, doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(schemaURL + part)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func forbidUnknown(node any) {
	switch node := node.(type) {
	case map[string]any:
		_, known := node["properties"].(map[string]any)
		_, open := node["additionalProperties"]
		for _, child := range node {
			forbidUnknown(child)
		}
		if node["title"] == "The run as a whole: a report without its results, and the last line of ndjson" {
			return // the report adds "results"
		}
		if known && !open {
			node["unevaluatedProperties"] = false
		}
	case []any:
		for _, child := range node {
			forbidUnknown(child)
		}
	}
}

func validate(t testing.TB, s *jsonschema.Schema, text string) {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v in %.2000s", err, text)
	}
	if err := s.Validate(doc); err != nil {
		t.Errorf("%#v", err)
	}
}

func testRuns() map[string]*Report {
	return map[string]*Report{
		"compared": comparedRun(), "remembered": rememberedRun(),
		"contract": contractRun(), "full": fullRun(), "checked": checkedRun(), "hostile": hostileRun(), "empty": {},
	}
}

func TestJSONMatchesItsSchema(t *testing.T) {
	for _, strict := range []bool{true, false} {
		schema := compileSchema(t, "", strict)
		for name, run := range testRuns() {
			for _, show := range []Show{ShowDefault, ShowAll, ShowBroken} {
				t.Run(name+" "+show.String(), func(t *testing.T) {
					validate(t, schema, render(t, "json", Options{Show: show}, run))
				})
			}
		}
	}
}

func TestNDJSONMatchesItsSchema(t *testing.T) {
	result, last := compileSchema(t, "#/$defs/result", true), compileSchema(t, "#/$defs/run", true)
	for name, run := range testRuns() {
		t.Run(name, func(t *testing.T) {
			lines := strings.Split(strings.TrimSuffix(render(t, "ndjson", Options{Show: ShowAll}, run), "\n"), "\n")
			for _, line := range lines[:len(lines)-1] {
				validate(t, result, line)
			}
			validate(t, last, lines[len(lines)-1])
		})
	}
}

func TestComparisonMatchesItsSchema(t *testing.T) {
	schema := compileSchema(t, "#/$defs/comparison", true)
	for _, runs := range [][2]*Report{
		{{}, {}}, {contractRun(), fullRun()}, {fullRun(), hostileRun()}, {hostileRun(), hostileRun()},
	} {
		var out strings.Builder
		if err := Compare(runs[0], runs[1]).WriteJSON(&out, 0); err != nil {
			t.Fatal(err)
		}
		validate(t, schema, out.String())
	}
}

// The schema rejects invalid reports.
func TestSchemaRejects(t *testing.T) {
	schema := compileSchema(t, "", false)
	good := render(t, "json", Options{}, contractRun())
	for _, swap := range [][2]string{
		{`"orbweaver.report/1"`, `"orbweaver.report/2"`},
		{`"verdict": "broken"`, `"verdict": "dead"`},
		{`"code": "http-404"`, `"code": "HTTP 404"`},
		{`"redirects": []`, `"redirects": null`},
		{`"size": 5120`, `"size": -2`},
		{`"line": 40`, `"line": "40"`},
		{`"started": "2026-01-02T03:04:05Z"`, `"started": "yesterday"`},
		{`"scope": "internal"`, `"scope": true`},
		{`"text": "Setup"`, `"txt": "Setup"`},
		{`"results": [`, `"findings": [`},
		{`"complete": true,`, ``},
	} {
		bad := strings.Replace(good, swap[0], swap[1], 1)
		if bad == good {
			t.Fatalf("nothing to replace: %s", swap[0])
		}
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(bad))
		if err != nil {
			t.Fatal(err)
		}
		if schema.Validate(doc) == nil {
			t.Errorf("accepts %s", swap[1])
		}
	}
	withMore := strings.Replace(good, `"complete": true,`, `"complete": true, "added_later": {},`, 1)
	validate(t, schema, withMore)
}
