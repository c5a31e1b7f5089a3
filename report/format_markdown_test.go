package report

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

func TestMarkdownGolden(t *testing.T) {
	golden(t, "contract.md.golden", []byte(render(t, "markdown", Options{}, contractRun())))
	golden(t, "full.md.golden", []byte(render(t, "markdown", Options{}, fullRun())))
	golden(t, "full-all.md.golden", []byte(render(t, "markdown", Options{Show: ShowAll}, fullRun())))
	golden(t, "hostile.md.golden", []byte(render(t, "markdown", Options{}, hostileRun())))
}

func TestMarkdownOfCleanRun(t *testing.T) {
	run := contractRun()
	run.Results = nil
	s := &run.Summary
	s.OK, s.Broken, s.Unverified, s.Skipped, s.Warnings = 403, 0, 0, 7, 0
	s.ByCode = map[check.Code]int{"external": 7}
	const want = "## Link check: all ok\n\n1204 links to 410 targets on 57 pages · 1.2 s · `docs`\n"
	if got := render(t, "markdown", Options{}, run); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Text from a page is never markup: a parser of GitHub Flavored Markdown finds only
// headings, tables, emphasis and code, and a row for each finding.
func TestMarkdownIsInert(t *testing.T) {
	rows := checkMarkdown(t, render(t, "markdown", Options{}, hostileRun()))
	if want := 2 * len(hostile); rows != want {
		t.Errorf("%d rows, want %d", rows, want)
	}
}

// checkMarkdown counts the rows of the tables in a report.
func checkMarkdown(t *testing.T, report string) (rows int) {
	t.Helper()
	source := []byte(report)
	doc := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(source))
	err := ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Document, *ast.Heading, *ast.Paragraph, *ast.CodeSpan, *extast.Table, *extast.TableHeader, *ast.Emphasis:
		case *ast.Text:
			if _, code := n.Parent().(*ast.CodeSpan); !code && strings.ContainsAny(string(n.Value(source)), "@#<[") {
				t.Errorf("%q stands outside code", n.Value(source))
			}
		case *extast.TableRow:
			rows++
		case *extast.TableCell:
			if count := n.Parent().ChildCount(); count != 3 {
				t.Errorf("a row has %d cells", count)
			}
		default:
			t.Errorf("holds a %s", n.Kind())
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// GitHub's own renderer agrees.
func TestMarkdownIsInertToGitHub(t *testing.T) {
	cmd := exec.Command(tool(t, "cmark-gfm"), "--unsafe", "-e", "table", "-e", "autolink", "-e", "strikethrough", "-e", "tasklist")
	cmd.Stdin = strings.NewReader(render(t, "markdown", Options{}, hostileRun()))
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	html := string(out)
	for _, tag := range strings.SplitAfter(html, "<")[1:] {
		name := strings.FieldsFunc(strings.TrimPrefix(tag, "/"), func(r rune) bool { return r == '>' || r == ' ' })[0]
		switch name {
		case "h2", "h3", "p", "table", "thead", "tbody", "tr", "th", "td", "code", "strong":
		default:
			t.Errorf("holds <%s", name)
		}
	}
	if got, want := strings.Count(html, "<td>"), 3*2*len(hostile); got != want {
		t.Errorf("%d cells, want %d", got, want)
	}
}

// tool returns the path of a program that checks a format. In complete test runs, the
// program must exist.
func tool(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("%s is needed: %v", name, err)
		}
		t.Skip(err)
	}
	return path
}

func TestMarkdownIsLimited(t *testing.T) {
	run := fullRun()
	for i := range 2000 {
		r := *run.Results[i%3]
		r.URL = fmt.Sprintf("%s/%d", r.URL, i)
		r.Verdict, r.Code = check.Broken, "http-404"
		run.Results = append(run.Results, &r)
	}
	whole := render(t, "markdown", Options{MarkdownSize: 1 << 30}, run)
	all := strings.Count(whole, "\n| ")
	for _, limit := range []int{0, 600, 5000, summaryMarkdownSize} {
		got := render(t, "markdown", Options{MarkdownSize: limit}, run)
		most := limit
		if limit == 0 {
			most = defaultMarkdownSize
		}
		if len(got) > most || limit < len(whole) && len(got) < most-1000 {
			t.Errorf("limit %d: %d bytes", limit, len(got))
		}
		shown := strings.Count(got, "\n| ") - strings.Count(got, "\n| Place")
		missing := all - strings.Count(whole, "\n| Place") - shown
		if said := strings.Contains(got, " more rows are omitted"); said != (missing > 0) {
			t.Errorf("limit %d: %d rows are missing, and it says so: %v", limit, missing, said)
		}
		if missing > 0 && !strings.Contains(got, "**"+strconv.Itoa(missing)+" more rows are omitted**") {
			t.Errorf("limit %d: does not count %d", limit, missing)
		}
	}
}

// A table of links to one missing document is one mistake.
func TestMarkdownFoldsRepeatedFindingsOnAPage(t *testing.T) {
	run := &Report{}
	for i := range 500 {
		run.Results = append(run.Results, &result.Result{URL: fmt.Sprintf("gone.html#%03d", i), Verdict: check.Broken, Code: "file-missing",
			References: []result.Reference{{Page: "a.html", Line: i + 1, Column: 1}}})
	}
	got := render(t, "markdown", Options{}, run)
	if n := strings.Count(got, "`gone.html#"); n != shownPlaces {
		t.Errorf("%d of the same are listed", n)
	}
	if want := "| `a.html` | `gone.html` | 497 more like these `file-missing` |\n"; !strings.HasSuffix(got, want) {
		t.Errorf("does not end in %q:\n%s", want, got)
	}
}

func TestMarkdownCode(t *testing.T) {
	for in, want := range map[string]string{
		"":            "",
		"a":           "`a`",
		"a`b":         "``a`b``",
		"`a":          "`` `a ``",
		"``":          "``` `` ```",
		" a ":         "`  a  `",
		"  ":          "`  `",
		"a|b":         "`a\\|b`",
		`a\|b`:        "`a\\\\\\|b`",
		`a\`:          "`a\\`",
		"a\nb":        "`a\\u000ab`",
		"<b>@all":     "`<b>@all`",
		"a\x00\u202e": "`a\\u0000\\u202e`",
	} {
		if got := markdownCode(in); got != want {
			t.Errorf("%q: got %s, want %s", in, got, want)
		}
	}
	if n := len(markdownCode(strings.Repeat("a", 1e5))); n > 310 {
		t.Errorf("a long string takes %d bytes", n)
	}
}
