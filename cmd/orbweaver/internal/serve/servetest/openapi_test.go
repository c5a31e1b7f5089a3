package servetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// description is the OpenAPI document of a server.
type description struct {
	compiler *jsonschema.Compiler
	prefix   string // the path of the API
	paths    map[string]map[string]json.RawMessage
	schemas  map[string]*jsonschema.Schema
}

const descriptionURL = "urn:orbweaver:test:openapi"

// describe reads the description from the server.
func (s *server) describe() *description {
	s.t.Helper()
	req, err := http.NewRequest("GET", s.base+"api/v1/openapi.json", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	if s.token != "" {
		req.Header.Set("Authorization", "Bearer "+s.token)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	if res.StatusCode != http.StatusOK {
		return nil // nobody has signed in
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		s.t.Fatal(err)
	}
	d := &description{compiler: jsonschema.NewCompiler(), schemas: map[string]*jsonschema.Schema{}}
	d.compiler.AssertFormat()
	if err := d.compiler.AddResource(descriptionURL, doc); err != nil {
		s.t.Fatal(err)
	}
	var whole struct {
		Paths   map[string]map[string]json.RawMessage
		Servers []struct{ URL string }
	}
	if err := json.Unmarshal(text, &whole); err != nil {
		s.t.Fatal(err)
	}
	d.paths, d.prefix = whole.Paths, whole.Servers[0].URL
	return d
}

// check compares an answer with the description.
func (s *server) check(req *http.Request, a *answer) {
	s.t.Helper()
	s.checkHeader(req, a)
	if !strings.Contains(req.URL.Path, "/api/v1/") {
		return
	}
	if s.api == nil {
		if s.api = s.describe(); s.api == nil {
			return
		}
	}
	operation, schema := s.api.find(req, a)
	if schema == "" || len(a.body) == 0 {
		return
	}
	s.validate(operation, schema, a.body)
}

func (s *server) validate(operation, schema string, body []byte) {
	s.t.Helper()
	compiled := s.api.schemas[schema]
	if compiled == nil {
		var err error
		if compiled, err = s.api.compiler.Compile(descriptionURL + schema); err != nil {
			s.t.Fatalf("%s: %v", operation, err)
		}
		s.api.schemas[schema] = compiled
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err == nil {
		err = compiled.Validate(value)
	}
	if err != nil {
		s.t.Errorf("%s: the answer is not as described: %v\n%s", operation, err, body)
	}
}

// find returns the schema of an answer, "" if it is not JSON.
func (d *description) find(req *http.Request, a *answer) (operation, schema string) {
	path, found := strings.CutPrefix(req.URL.Path, d.prefix)
	if !found { // the prefix of a public URL may be left out
		_, path, _ = strings.Cut(req.URL.Path, "/api/v1")
	}
	for pattern, item := range d.paths {
		text, ok := item[strings.ToLower(req.Method)]
		if !ok || !matches(pattern, path) {
			continue
		}
		var op struct {
			Responses map[string]struct {
				Content map[string]struct {
					Schema struct {
						Ref string `json:"$ref"`
					}
				}
			}
		}
		if err := json.Unmarshal(text, &op); err != nil {
			return pattern, err.Error()
		}
		if r, ok := op.Responses[strconv.Itoa(a.status)]; ok {
			media, _, _ := mime.ParseMediaType(a.header.Get("Content-Type"))
			return req.Method + " " + path, r.Content[media].Schema.Ref
		}
		break
	}
	return req.Method + " " + path, "#/components/schemas/Problem"
}

func matches(pattern, path string) bool {
	p, q := strings.Split(pattern, "/"), strings.Split(path, "/")
	return slices.EqualFunc(p, q, func(want, got string) bool { return strings.HasPrefix(want, "{") || want == got })
}

// checkHeader compares the fields that every answer has.
func (s *server) checkHeader(req *http.Request, a *answer) {
	s.t.Helper()
	policy := a.header.Get("Content-Security-Policy")
	for _, part := range []string{"default-src 'none'", "frame-ancestors 'none'", "base-uri 'self'", "form-action 'self'"} {
		if !strings.Contains(policy, part) {
			s.t.Errorf("%s %s: Content-Security-Policy is %q, without %s", req.Method, req.URL.Path, policy, part)
		}
	}
	if strings.Contains(policy, "unsafe") || a.header.Get("X-Content-Type-Options") != "nosniff" || a.header.Get("Referrer-Policy") == "" {
		s.t.Errorf("%s %s: the header is not safe: %v", req.Method, req.URL.Path, a.header)
	}
	if a.status >= 400 && strings.Contains(req.URL.Path, "/api/") {
		if got := a.header.Get("Content-Type"); got != "application/problem+json" {
			s.t.Errorf("%s %s: status %d has the type %q", req.Method, req.URL.Path, a.status, got)
		}
	}
}

// TestDescription holds that the document describes every route of the API.
func TestDescription(t *testing.T) {
	s := open(t, t.TempDir())
	d := s.describe()
	if len(d.paths) < 15 {
		t.Errorf("%d paths are described", len(d.paths))
	}
	for pattern, item := range d.paths {
		for method := range item {
			if method == "parameters" {
				continue
			}
			path := d.prefix + strings.NewReplacer("{p}", "x", "{r}", "x", "{id}", "x", "{fingerprint}", "x", "{n}", "0").Replace(pattern)
			if pattern == "/events" {
				path += "?after=x" // else it never ends
			}
			if a := s.send(strings.ToUpper(method), path, nil); a.status == http.StatusMethodNotAllowed {
				t.Errorf("%s %s is described, but not allowed", method, pattern)
			}
		}
	}
}

// TestBodiesAreDescribed looks at the media types and sizes of bodies that are not small JSON.
func TestBodiesAreDescribed(t *testing.T) {
	s := open(t, t.TempDir())
	d := s.describe()
	for _, row := range []struct {
		method, path string
		most         int
		schemas      map[string]string // by media type
	}{
		{"post", "/import", 16 << 20, map[string]string{"application/json": "#/components/schemas/Exchange", "application/toml": "#/components/schemas/Exchange"}},
		{"put", "/projects/{p}/urls", 4 << 20, map[string]string{"text/plain": ""}},
		{"post", "/projects", 1 << 20, map[string]string{"application/json": "#/components/schemas/ProjectInput"}},
	} {
		var op struct {
			RequestBody struct {
				Description string
				Content     map[string]struct {
					Schema struct {
						Ref string `json:"$ref"`
					}
				}
			}
		}
		if err := json.Unmarshal(d.paths[row.path][row.method], &op); err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for media, content := range op.RequestBody.Content {
			got[media] = content.Schema.Ref
		}
		if want := fmt.Sprintf("at most %d bytes", row.most); !maps.Equal(got, row.schemas) || op.RequestBody.Description != want {
			t.Errorf("%s %s takes %v, %q; want %v, %q", row.method, row.path, got, op.RequestBody.Description, row.schemas, want)
		}
	}
}
