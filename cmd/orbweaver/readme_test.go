package main

import (
	"bytes"
	stdflag "flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/option"
	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/report"
)

var update = stdflag.Bool("update", false, "update the generated tables of the documentation")

const readme = "../../README.md"

// The tables of README and of the guides are generated from the same rows as the help, or
// from the table of codes, and their reports by running the program; go test
// ./cmd/orbweaver -run Generated -update updates them.
func TestGeneratedTables(t *testing.T) {
	for file, tables := range map[string]map[string]string{
		readme:             {"exit": exitRows(), "output": sampleReport(t, "readme", "public/")},
		"docs/commands.md": {"flags": flagTables()},
		"docs/reports.md":  {"formats": formatRows()},
		"docs/codes.md":    {"codes": codeRows(), "content codes": contentCodeRows(), "statuses": statusRows()},
		"docs/counts.md":   {"counts": sampleReport(t, "counts", "site/")},
	} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want := string(text)
		for mark, table := range tables {
			want = between(t, want, mark, table)
		}
		if want == string(text) {
			continue
		}
		if !*update {
			t.Errorf("the tables in %s are out of date: update them with go test ./cmd/orbweaver -run Generated -update", file)
			continue
		}
		if err := os.WriteFile(file, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// README fits on a few screens, has the commands to set up a checkout, and leads to every
// guide.
func TestReadmeLeadsToGuides(t *testing.T) {
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	if len(text) < 8_000 || len(text) > 10_000 {
		t.Errorf("README has %d bytes, want 8,000 to 10,000", len(text))
	}
	wanted := []string{"\ngo run ./cmd/orbweaver ", "\ngo test ./... "}
	for _, topic := range topics() {
		wanted = append(wanted, "\n| ["+topic+"](cmd/orbweaver/docs/"+topic+".md) |")
	}
	for _, want := range wanted {
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("README lacks %q", want)
		}
	}
}

// The list of changes has a section for the next release, and one entry for a change, which a
// reader can take in at once.
func TestChangelogIsReadable(t *testing.T) {
	text, err := os.ReadFile("../../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	_, entries, found := strings.Cut(string(text), "\n## Unreleased\n")
	if !found {
		t.Error("CHANGELOG has no section for the next release")
	}
	for entry := range strings.SplitSeq(entries, "\n- ") {
		if entry, _, _ = strings.Cut(entry, "\n\n"); len(entry) > 900 {
			t.Errorf("the entry %.60q… has %d bytes, want at most 900", entry, len(entry))
		}
	}
}

// README and the guides name one release of this project, which the release workflow
// compares with its tag.
func TestDocumentsNameOneRelease(t *testing.T) {
	files, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]string{} // by release, a file
	for _, file := range append(files, readme) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?:orbweaver@|rev: |download/)(v[^\s/`+"`"+`]+)`).FindAllSubmatch(text, -1) {
			named[string(m[1])] = file
		}
	}
	if len(named) != 1 {
		t.Errorf("README and the guides name the releases %v, want one", named)
	}
}

// The functions in the journeys are in the files that they name.
func TestJourney(t *testing.T) {
	text, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	var steps [][]string
	for mark, want := range map[string]int{"journey": 10, "engine": 17} {
		_, rest, _ := strings.Cut(string(text), "<!-- "+mark+" -->")
		journey, _, _ := strings.Cut(rest, "<!-- /"+mark+" -->")
		found := regexp.MustCompile("`([^`]+\\.go)` `([^`]+)`").FindAllStringSubmatch(journey, -1)
		if len(found) != want {
			t.Errorf("the table %s has %d steps that name a file and a function, want %d", mark, len(found), want)
		}
		steps = append(steps, found...)
	}
	for _, step := range steps {
		source, err := os.ReadFile(filepath.Join("../..", step[1]))
		if err != nil {
			t.Error(err)
			continue
		}
		if !regexp.MustCompile(`(?m)^func (\([^)]*\) )?` + step[2] + `\(`).Match(source) {
			t.Errorf("%s has no function %s", step[1], step[2])
		}
	}
}

// between replaces the text between a pair of marks.
func between(t *testing.T, doc, mark, text string) string {
	t.Helper()
	open, shut := "<!-- "+mark+" -->\n", "<!-- /"+mark+" -->\n"
	before, rest, ok1 := strings.Cut(doc, open)
	_, after, ok2 := strings.Cut(rest, shut)
	if !ok1 || !ok2 {
		t.Fatalf("the document lacks the marks %s", mark)
	}
	return before + open + text + shut + after
}

// sampleReport checks a directory of testdata/samples/NAME.txtar, and returns the command
// and its report as a Markdown block. The time that the run took is not part of it.
func sampleReport(t *testing.T, name, dir string) string {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata/samples", name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	files, err := txtar.FS(archive)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	t.Run(name, func(t *testing.T) {
		site := t.TempDir()
		if err := os.CopyFS(site, files); err != nil {
			t.Fatal(err)
		}
		t.Chdir(site)
		root := newRoot()
		root.SetOut(&out)
		root.SetArgs([]string{dir, "--ci", "none", "--no-config"})
		if code := exitCode(root.Execute(), os.Stderr); code != report.ExitFindings {
			t.Errorf("exit status %d", code)
		}
	})
	report := regexp.MustCompile(`\d+\.\d s\n$`).ReplaceAllString(out.String(), "0.1 s\n")
	return "```\n$ orbweaver " + dir + "\n" + report + "```\n"
}

// flagTables returns the tables of flags: those of check by group, then those of the
// other commands.
func flagTables() string {
	var b strings.Builder
	root := newRoot()
	for _, name := range []string{"check", "extract", "report", "compare", "fix", "archive", "history"} {
		cmd, _, err := root.Find([]string{name})
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(&b, "### `orbweaver %s`\n\n| flag | meaning | default |\n|---|---|---|\n", name)
		for _, section := range flagSections(cmd) {
			if name == "check" && section.title != "Other flags" {
				fmt.Fprintf(&b, "| **%s** | | |\n", section.title)
			}
			for _, f := range section.flags {
				if ofCheck := name == "archive" && f.On&option.Archive == 0; f.Name != "help" && !ofCheck {
					fmt.Fprintf(&b, "| %s | %s | %s |\n", code(strings.TrimSpace(f.Spelling())), cell(meaning(f)), code(f.Initial))
				}
			}
		}
		b.WriteString("\n")
	}
	b.WriteString("`archive` takes most flags of `check` as well, `explain` takes the flags of scope and configuration. A switch `--x` is turned off by `--no-x` or `--x=false`. " +
		"Durations: `500ms`, `20s`, `2m`, `1h`, `1d`, a bare number counts seconds; sizes: `500kB`, `10MiB`.\n")
	return b.String()
}

// meaning returns the doc of a row with its words and whether it may be repeated.
func meaning(f *option.Flag) string {
	copied := *f
	copied.Initial = ""
	return copied.FullDoc()
}

func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + cell(s) + "`"
}

func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

// formatRows returns the rows of the table of formats.
func formatRows() string {
	var b strings.Builder
	for _, f := range report.Formats {
		var files []string
		for _, name := range slices.Concat(f.Extensions, f.Files) {
			files = append(files, code(name))
		}
		streams := ""
		if f.Streams {
			streams = "yes"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", code(f.Name), strings.Join(files, " "), cell(f.Use), streams)
	}
	return b.String()
}

func exitRows() string {
	var b bytes.Buffer
	for _, row := range exitTable {
		fmt.Fprintf(&b, "| %d | %s |\n", row.code, row.meaning)
	}
	return b.String()
}

// codeRows returns the rows of the table of codes of links.
func codeRows() string {
	var b strings.Builder
	for _, e := range check.All() {
		if e.Group != "" {
			continue
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", code(string(e.Code)), verdictCell(e, e.Internal), verdictCell(e, e.External), cell(e.Title))
	}
	return b.String()
}

// contentCodeRows returns the rows of the table of codes of content checks.
func contentCodeRows() string {
	var b strings.Builder
	for _, e := range check.All() {
		group := code(e.Group)
		verdict := map[check.Severity]string{check.SeverityError: "broken", check.SeverityWarning: "warning", check.SeverityInfo: "information"}[e.Severity]
		switch e.Group {
		case "":
			continue
		case check.GroupContent:
			group = "`[[content]]`"
		case check.GroupPlugins:
			group = "`[[plugin]]`"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", code(string(e.Code)), group, verdict, cell(e.Title))
	}
	return b.String()
}

// verdictCell describes the verdict of a code on one side.
func verdictCell(e check.Entry, v check.Verdict) string {
	switch {
	case e.Code == check.CodeHTTPNNN:
		return "by status"
	case v != check.OK || e.Code == check.CodeOK:
		return v.String()
	case e.Severity == check.SeverityInfo:
		return "ok, for information"
	}
	return "ok, with a warning"
}

// statusRows returns the rows of the table of error statuses and their verdicts.
func statusRows() string {
	type sides struct{ internal, external check.Verdict }
	statuses := map[sides][]string{}
	for first, last := 400, 400; first <= 999; first = last + 1 {
		verdicts := func(status int) sides {
			e, _ := check.Lookup(check.HTTPCode(status))
			return sides{e.Internal, e.External}
		}
		last = first
		for last < 999 && verdicts(last+1) == verdicts(first) {
			last++
		}
		text := fmt.Sprint(first)
		if last > first {
			text = fmt.Sprintf("%d to %d", first, last)
		}
		statuses[verdicts(first)] = append(statuses[verdicts(first)], text)
	}
	var b strings.Builder
	for _, s := range []sides{{check.Broken, check.Unverified}, {check.Unverified, check.Unverified}} {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", strings.Join(statuses[s], ", "), s.internal, s.external)
		delete(statuses, s)
	}
	for s := range statuses { // one remains
		fmt.Fprintf(&b, "| all others | %s | %s |\n", s.internal, s.external)
	}
	return b.String()
}
