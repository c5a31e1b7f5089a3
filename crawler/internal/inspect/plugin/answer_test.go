package plugin

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
)

func TestParseHello(t *testing.T) {
	for _, test := range []struct {
		line string
		want []Declared
		err  string // a part of the message
	}{
		{`{"hello":{"codes":[]}}`, nil, ""},
		{`{"hello":{"codes":[{"code":"spell-word","title":"unknown word","severity":"info","advice":"Look it up."},{"code":"spell-a-1"}],"more":1},"x":[]}`,
			[]Declared{{"spell-a-1", check.VerdictWarning, "spell-a-1", ""}, {"spell-word", check.VerdictInfo, "unknown word", "Look it up."}}, ""},
		{`{"hello":{"codes":[{"code":"spell-a","severity":"broken"},{"code":"spell-b","severity":"unverified"},{"code":"spell-c","severity":"warning"}]}}` + "\r",
			[]Declared{{"spell-a", check.Broken, "spell-a", ""}, {"spell-b", check.Unverified, "spell-b", ""}, {"spell-c", check.VerdictWarning, "spell-c", ""}}, ""},
		{``, nil, "is not JSON: unexpected end of JSON input"},
		{`Loading the dictionary of all the words that are known`, nil, `"Loading the dictionary of all the words …" (only answers belong on standard output; notes belong on standard error)`},
		{`{"id":1}`, nil, `is not {"hello":{"codes":[…]}}: "{\"id\":1}"`},
		{`{"hello":{}}`, nil, `is not {"hello"`},
		{`{"hello":null}`, nil, `is not {"hello"`},
		{`null`, nil, `is not {"hello"`},
		{`[]`, nil, `is not an object: it is array`},
		{`{"hello":{"codes":{}}}`, nil, `has a value of a wrong type: hello.codes is object`},
		{"{\"hello\":{\"codes\":[]}}\xff", nil, "is not UTF-8"},
		{`{"hello":{"codes":[{"code":"word"}]}}`, nil, `the code "word" must begin with "spell-", followed by a-z, 0-9 and hyphens`},
		{`{"hello":{"codes":[{"code":"spell-"}]}}`, nil, `must begin with`},
		{`{"hello":{"codes":[{"code":"spell-A"}]}}`, nil, `must begin with`},
		{`{"hello":{"codes":[{}]}}`, nil, `must begin with`},
		{`{"hello":{"codes":[{"code":"spell-a","severity":"error"}]}}`, nil, `the code spell-a has the severity "error"`},
		{`{"hello":{"codes":[{"code":"spell-a"},{"code":"spell-b"},{"code":"spell-a"}]}}`, nil, `the code spell-a is declared twice`},
	} {
		got, err := parseHello([]byte(test.line), "spell")
		if test.err == "" && err != nil || test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)) || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s:\n got %v %v\nwant %v %s", test.line, got, err, test.want, test.err)
		}
	}
	for name, code := range map[string]string{"http": "http-404", "redirect": "redirect-loop", "plugin": "plugin-failed"} {
		_, err := parseHello(fmt.Appendf(nil, `{"hello":{"codes":[{"code":%q}]}}`, code), name)
		if err == nil || !strings.Contains(err.Error(), "is one of Orbweaver's own") {
			t.Errorf("%s: %v", code, err)
		}
	}
}

// spellCodes are the codes that tests of answers know.
var spellCodes = map[check.Code]Declared{
	"spell-word": {"spell-word", check.VerdictWarning, "unknown word", ""},
	"spell-dead": {"spell-dead", check.Broken, "dead word", ""},
}

func TestParseAnswer(t *testing.T) {
	element := `{"code":"spell-word"},`
	findings := func(n int) string {
		return `{"id":7,"findings":[` + strings.TrimSuffix(strings.Repeat(element, n), ",") + `]}`
	}
	for _, test := range []struct {
		name, line string
		want       Answer
		err        string // a part of the message
	}{
		{"nothing", `{"id":7}`, Answer{}, ""},
		{"null", `{"id":7,"findings":null,"links":null}`, Answer{}, ""},
		{"empty", ` {"links":[],"findings":[],"id":7,"id2":8,"more":{"a":[1]}} ` + "\r", Answer{}, ""},
		{"all", `{"id":7,"findings":[{"code":"spell-word","line":12,"column":8,"message":"teh","proposal":"the","raw":"teh","x":1},{"code":"spell-dead"}],` +
			`"links":[{"url":" ../a b ","line":3,"column":1},{"url":"b"},{"line":4}]}`,
			Answer{
				Findings: []judging.Finding{
					{Code: "spell-word", Verdict: check.VerdictWarning, Line: 12, Column: 8, Message: "teh", Proposal: "the", Raw: "teh"},
					{Code: "spell-dead", Verdict: check.Broken, Message: "dead word"},
				},
				Links: []Link{{" ../a b ", 3, 1}, {"b", 0, 0}},
			}, ""},
		{"places", `{"id":7,"links":[{"url":"a","line":3},{"url":"a","column":3},{"url":"a","line":-3,"column":2},{"url":"a","line":2,"column":-2}]}`,
			Answer{Links: []Link{{"a", 3, 1}, {"a", 0, 0}, {"a", 0, 0}, {"a", 2, 1}}}, ""},

		{"no JSON", `OK`, Answer{}, `the answer is not JSON: invalid character 'O' looking for beginning of value: "OK"`},
		{"no line", ``, Answer{}, `is not JSON`},
		{"more than JSON", `{"id":7}{}`, Answer{}, `is not JSON`},
		{"array", `[{"id":7}]`, Answer{}, `is not an object: it is array`},
		{"other id", `{"id":8}`, Answer{}, `an answer has the id of another page`},
		{"no id", `{}`, Answer{}, `the id of another page`},
		{"text as id", `{"id":"7"}`, Answer{}, `has a value of a wrong type: id is string`},
		{"fraction", `{"id":7.5}`, Answer{}, `has a value of a wrong type: id is number 7.5`},
		{"other id first", `{"id":8,"findings":[{"code":"spell-nothing"}]}`, Answer{}, `the id of another page`},
		{"undeclared", `{"id":7,"findings":[{"code":"spell-word"},{"code":"spell-nothing"}]}`, Answer{}, `a finding has the code "spell-nothing", which was not declared`},
		{"no code", `{"id":7,"findings":[null]}`, Answer{}, `a finding has the code ""`},
		{"object", `{"id":7,"findings":{}}`, Answer{}, `has findings or links that are not an array`},
		{"text", `{"id":7,"links":["a"]}`, Answer{}, `has a value of a wrong type`},
		{"line", `{"id":7,"links":[{"url":"a","line":"1"}]}`, Answer{}, `has a value of a wrong type: links.line is string`},
		{"large line", `{"id":7,"links":[{"url":"a","line":1e99}]}`, Answer{}, `has a value of a wrong type: links.line is number 1e99`},
		{"201", findings(201), Answer{}, `the answer has more than 200 findings`},
		{"201 undeclared", strings.ReplaceAll(findings(201), "spell", "x"), Answer{}, `the answer has more than 200 findings`},
		{"UTF-8", "{\"id\":7,\"x\":\"\xff\"}", Answer{}, `the answer is not JSON: it is not UTF-8`},
		{"deep", `{"id":7,"x":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}`, Answer{}, `the answer is not JSON: invalid character '[' exceeded max depth`},
	} {
		got, err := parseAnswer([]byte(test.line), 7, spellCodes)
		if test.err == "" && err != nil || test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)) || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s:\n got %+v %v\nwant %+v %s", test.name, got, err, test.want, test.err)
		}
	}
	if got, err := parseAnswer([]byte(findings(200)), 7, spellCodes); err != nil || len(got.Findings) != 200 {
		t.Errorf("200 findings: %d %v", len(got.Findings), err)
	}
}

// allocated returns how many bytes were allocated until now.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// A line of 1 MiB takes little memory, whatever is in it.
func TestAnswerMemory(t *testing.T) {
	for _, list := range []string{"findings", "links"} {
		line := []byte(`{"id":7,"` + list + `":[` + strings.Repeat("{},", maxLine/3-10) + `{}]}`)
		before := allocated()
		parseAnswer(line, 7, spellCodes)
		if used := allocated() - before; used > 32<<20 {
			t.Errorf("%s: %d bytes", list, used)
		}
	}
}

func FuzzAnswer(f *testing.F) {
	for _, line := range []string{
		`{"id":7}`, `{"id":7,"findings":[{"code":"spell-word","line":12,"column":8,"message":"teh","proposal":"the","raw":"teh"}],"links":[{"url":"a","line":1}]}`,
		`{"hello":{"codes":[{"code":"spell-word","title":"t","severity":"info","advice":"a"}]}}`, `{"id":7,"findings":null}`, `{"id":7,"findings":{}}`,
		`{"id":7,"links":[null,{"url":"\ud800"}]}`, `[]`, `null`, "\xff", `{"id":7,"findings":[],"findings":[{}]}`, `{"ID":7,"Findings":[{"CODE":"spell-dead"}]}`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		answer, err := parseAnswer(line, 7, spellCodes)
		if err != nil && (answer.Findings != nil || answer.Links != nil) {
			t.Errorf("%v, and an answer that is used", err)
		}
		if len(answer.Findings) > maxFindings {
			t.Errorf("%d findings", len(answer.Findings))
		}
		for _, found := range answer.Findings {
			if spellCodes[found.Code].Verdict != found.Verdict || found.Message == "" || found.Line < 0 || found.Column < 0 || (found.Line == 0) != (found.Column == 0) {
				t.Errorf("%+v", found)
			}
		}
		for _, link := range answer.Links {
			if link.URL == "" || link.Line < 0 || (link.Line == 0) != (link.Column == 0) {
				t.Errorf("%+v", link)
			}
		}
		declared, err := parseHello(line, "spell")
		for _, d := range declared {
			if err != nil || !strings.HasPrefix(string(d.Code), "spell-") || d.Title == "" || d.Verdict == check.OK || d.Verdict == check.Skipped {
				t.Errorf("%+v %v", d, err)
			}
		}
	})
}
