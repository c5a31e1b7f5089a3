package report

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

func TestXMLGolden(t *testing.T) {
	golden(t, "contract.xml.golden", []byte(render(t, "xml", Options{}, contractRun())))
	golden(t, "full-all.xml.golden", []byte(render(t, "xml", Options{Show: ShowAll}, fullRun())))
}

func TestXMLMatchesItsSchema(t *testing.T) {
	for name, run := range testRuns() {
		t.Run(name, func(t *testing.T) {
			xmllint(t, render(t, "xml", Options{Show: ShowAll}, run), "report.xsd")
		})
	}
}

// Every string of a run is in the document unchanged, except for characters that XML
// forbids.
func TestXMLKeepsStrings(t *testing.T) {
	run := hostileRun()
	found := xmlStrings(t, render(t, "xml", Options{Show: ShowAll}, run))
	for _, r := range run.Results {
		r = cleanResult(r)
		for _, s := range []string{r.URL, r.Message, r.ContentType, r.Warnings[0].Message, r.Suggestions[0].Why, r.References[0].Raw, r.References[0].Page} {
			if s != "" && !found[xmlSafe(s)] {
				t.Errorf("lacks %q", s)
			}
		}
	}
}

// Everything in JSON is in XML under the same name.
func TestXMLHasWhatJSONHas(t *testing.T) {
	run := rememberedRun()
	found := map[[2]string]bool{}
	in := xml.NewDecoder(strings.NewReader(render(t, "xml", Options{Show: ShowAll}, run)))
	element := ""
	for {
		token, err := in.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			element = token.Name.Local
			for _, a := range token.Attr {
				found[[2]string{a.Name.Local, a.Value}] = true
			}
		case xml.CharData:
			found[[2]string{element, string(token)}] = true
		}
	}
	var object any
	if err := json.Unmarshal([]byte(render(t, "json", Options{Show: ShowAll}, run)), &object); err != nil {
		t.Fatal(err)
	}
	var walk func(within, key string, v any)
	walk = func(within, key string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for k, member := range v {
				walk(key, k, member)
			}
		case []any:
			var words []string
			for _, member := range v {
				if word, ok := member.(string); ok && key != "targets" {
					words = append(words, word)
				} else {
					walk(within, key, member)
				}
			}
			if len(words) > 0 {
				walk(within, key, strings.Join(words, " "))
			}
		default:
			value := fmt.Sprint(v)
			switch {
			case value == "":
				return
			case within == "by_code":
				key, value = "code", key
			case within == "warnings" && key == "message":
				key = "warning"
			case within == "" && key == "targets":
				key = "target"
			case key == "why":
				key = "suggestion"
			}
			if !found[[2]string{key, value}] {
				t.Errorf("lacks %s %q of %s", key, value, within)
			}
		}
	}
	walk("", "", object)
}

// rememberedRun has fields from other runs and from sources.
func rememberedRun() *Report {
	run := fullRun()
	run.Summary.Known, run.Summary.Recent, run.Summary.Cached, run.Summary.Fixed = result.Tally{Broken: 7, Unverified: 8, Warnings: 9}, 11, 12, 17
	for _, r := range run.Results {
		switch r.Code {
		case "bot-wall":
			r.Cached, r.Known = true, []check.Code{"bot-wall", "redirect-permanent"}
		case "fragment-missing":
			r.BrokenRuns, r.BrokenSince, r.FailsAfter = 13, started, 14
			r.Suggestions[0].Unique = true
			ref := &r.References[0]
			ref.Source = &result.Place{File: "guide.md", Line: 15, Column: 16, Raw: "setup.md"}
			ref.Known, ref.Unaffected = true, "uri-repaired mixed-content"
		}
	}
	return run
}
