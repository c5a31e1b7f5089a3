package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/rogpeppe/go-internal/testscript"
)

// composite is the part of action.yml that the test checks.
type composite struct {
	Inputs map[string]struct {
		Description string `yaml:"description"`
		Default     string `yaml:"default"`
	} `yaml:"inputs"`
	Outputs map[string]struct {
		Value string `yaml:"value"`
	} `yaml:"outputs"`
	Runs struct {
		Using string `yaml:"using"`
		Steps []struct {
			ID    string            `yaml:"id"`
			Uses  string            `yaml:"uses"`
			Shell string            `yaml:"shell"`
			Env   map[string]string `yaml:"env"`
			Run   string            `yaml:"run"`
		} `yaml:"steps"`
	} `yaml:"runs"`
}

func readAction(t interface{ Fatalf(string, ...any) }) *composite {
	text, err := os.ReadFile("../../action.yml")
	if err != nil {
		t.Fatalf("%v", err)
	}
	var a composite
	if err := yaml.Unmarshal(text, &a); err != nil {
		t.Fatalf("action.yml: %v", err)
	}
	return &a
}

// stepScript writes the script of a step of action.yml: "action ID FILE".
func stepScript(ts *testscript.TestScript, neg bool, args []string) {
	for _, s := range readAction(ts).Runs.Steps {
		if s.ID == args[0] {
			ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(s.Run), 0o644))
			return
		}
	}
	ts.Fatalf("action.yml has no step %s", args[0])
}

func TestActionHoldsTogether(t *testing.T) {
	a := readAction(t)
	if a.Runs.Using != "composite" {
		t.Errorf("the action runs using %q", a.Runs.Using)
	}
	used := map[string]bool{}
	reference := regexp.MustCompile(`\$\{\{\s*inputs\.([a-z-]+)\s*\}\}`)
	text, err := os.ReadFile("../../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range reference.FindAllStringSubmatch(string(text), -1) {
		used[m[1]] = true
		if _, ok := a.Inputs[m[1]]; !ok {
			t.Errorf("inputs.%s is used, but not declared", m[1])
		}
	}
	for name, in := range a.Inputs {
		if in.Description == "" || !used[name] {
			t.Errorf("input %s: description %q, used %v", name, in.Description, used[name])
		}
	}
	known := map[string]bool{}
	for _, f := range flagsOn(onCheck) {
		known[f.name] = true
	}
	for _, s := range a.Runs.Steps {
		if strings.Contains(s.Run, "${{") {
			t.Errorf("step %s inserts the text of an input into its script", s.ID)
		}
		if s.Run != "" && s.Shell == "" {
			t.Errorf("step %s names no shell", s.ID)
		}
		if s.ID != "check" {
			continue
		}
		for _, m := range regexp.MustCompile(`--([a-z-]+)=`).FindAllStringSubmatch(s.Run, -1) {
			if !known[m[1]] {
				t.Errorf("the action gives --%s, which is not a flag of check", m[1])
			}
		}
	}
}

func TestHooksHoldTogether(t *testing.T) {
	text, err := os.ReadFile("../../.pre-commit-hooks.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var hooks []struct {
		ID       string   `yaml:"id"`
		Name     string   `yaml:"name"`
		Language string   `yaml:"language"`
		Entry    string   `yaml:"entry"`
		Args     []string `yaml:"args"`
	}
	if err := yaml.Unmarshal(text, &hooks); err != nil {
		t.Fatal(err)
	}
	if len(hooks) == 0 {
		t.Fatal("there are no hooks")
	}
	for _, h := range hooks {
		if h.ID == "" || h.Name == "" || h.Language != "golang" || !strings.HasPrefix(h.Entry, "orbweaver check") {
			t.Errorf("hook %+v is incomplete", h)
		}
		for _, arg := range h.Args {
			name, value, _ := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
			i := slices.IndexFunc(flagsOn(onCheck), func(f flag) bool { return f.name == name })
			if i < 0 || !slices.Contains(flagsOn(onCheck)[i].words, value) {
				t.Errorf("hook %s: %s is not a flag of check", h.ID, arg)
			}
		}
	}
}
