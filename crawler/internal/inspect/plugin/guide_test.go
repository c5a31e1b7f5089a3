package plugin

import (
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/page"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
)

// guideBlock returns the first block of code in a language that the guide has.
func guideBlock(t *testing.T, language string) string {
	t.Helper()
	text, err := os.ReadFile("../../../../cmd/orbweaver/docs/plugins.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(text), "\n```"+language+"\n")
	block, _, closed := strings.Cut(rest, "\n```\n")
	if !ok || !closed {
		t.Fatalf("the guide has no code in %s", language)
	}
	return block + "\n"
}

// The programs of the guide have at most 20 lines, and the one in Go is formatted.
func TestGuidePrograms(t *testing.T) {
	for _, language := range []string{"python", "go"} {
		program := guideBlock(t, language)
		if n := strings.Count(program, "\n"); n > 20 {
			t.Errorf("the program in %s has %d lines", language, n)
		}
		if formatted, err := format.Source([]byte(program)); language == "go" && (err != nil || string(formatted) != program) {
			t.Errorf("the program in Go is not formatted: %v", err)
		}
	}
}

// needed returns the path of a program that the test needs.
func needed(t *testing.T, name string) string {
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

// checkGuide lets a plugin of the guide check two pages.
func checkGuide(t *testing.T, c Config, pages ...*page.Page) (answers []Answer, declared []Declared) {
	t.Helper()
	c.Timeout = patience
	c.Env = os.Environ()
	c.Stderr = lines(func(line string) { t.Error(line) })
	plugins, err := Start(t.Context(), []Config{c})
	if err != nil {
		t.Fatal(err)
	}
	defer plugins[0].Close()
	for _, pg := range pages {
		answer, err := plugins[0].Check(t.Context(), pg)
		if err != nil {
			t.Fatal(err)
		}
		answers = append(answers, answer)
	}
	return answers, plugins[0].Declared()
}

// The Python program of the guide works with the configuration of the guide.
func TestGuidePython(t *testing.T) {
	var file struct {
		Plugin []struct {
			Name, Match string
			Command     []string
			Config      map[string]any
		}
	}
	if _, err := toml.Decode(guideBlock(t, "toml"), &file); err != nil {
		t.Fatal(err)
	}
	row := file.Plugin[0]
	program := guideBlock(t, "python")
	t.Chdir(t.TempDir())
	if err := os.WriteFile(row.Command[1], []byte(program), 0o666); err != nil {
		t.Fatal(err)
	}
	row.Command[0] = needed(t, filepath.Join("/usr/bin", row.Command[0]))
	answers, declared := checkGuide(t, Config{Name: row.Name, Command: row.Command, Config: row.Config},
		&page.Page{Text: []byte("<p>na\u00efve teh\r\n<b>the\u2028</b>\nRecieve, recieve\n")}, &page.Page{Text: []byte{}})
	if want := []Declared{{"typo-word", check.VerdictWarning, "a word is misspelled", "Correct the word."}}; !reflect.DeepEqual(declared, want) {
		t.Errorf("declared: got %v, want %v", declared, want)
	}
	want := []Answer{{Findings: []judging.Finding{
		{Code: "typo-word", Verdict: check.VerdictWarning, Line: 1, Column: 10, Message: "teh is misspelled", Raw: "teh", Proposal: "the"},
		{Code: "typo-word", Verdict: check.VerdictWarning, Line: 3, Column: 10, Message: "recieve is misspelled", Raw: "recieve", Proposal: "receive"},
	}}, {}}
	if !reflect.DeepEqual(answers, want) {
		t.Errorf("got %+v, want %+v", answers, want)
	}
}

// The Go program of the guide finds links.
func TestGuideGo(t *testing.T) {
	tool := needed(t, "go")
	dir := t.TempDir()
	source, binary := filepath.Join(dir, "datahref.go"), filepath.Join(dir, "datahref.exe")
	if err := os.WriteFile(source, []byte(guideBlock(t, "go")), 0o666); err != nil {
		t.Fatal(err)
	}
	build := exec.Command(tool, "build", "-o", binary, source)
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	answers, declared := checkGuide(t, Config{Name: "datahref", Command: []string{binary}},
		&page.Page{Text: []byte("<p>\n<b data-href=\"a?b&amp;c\">\u00e9</b><b data-href='x'>\n\n<i data-href=\"/d\">")}, &page.Page{Text: []byte{}})
	if len(declared) != 0 {
		t.Errorf("declared: %v", declared)
	}
	if want := []Answer{{Links: []Link{{"a?b&c", 2, 1}, {"/d", 4, 1}}}, {}}; !reflect.DeepEqual(answers, want) {
		t.Errorf("got %+v, want %+v", answers, want)
	}
}
