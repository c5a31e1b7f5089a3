package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/template"

	"github.com/rogpeppe/go-internal/testscript"
	"go.yaml.in/yaml/v3"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/option"
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
			With  map[string]string `yaml:"with"`
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

// releaser is the part of .goreleaser.yaml that the tests check.
type releaser struct {
	ProjectName string `yaml:"project_name"`
	Before      struct {
		Hooks []string `yaml:"hooks"`
	} `yaml:"before"`
	Builds []struct {
		ID      string   `yaml:"id"`
		Main    string   `yaml:"main"`
		Flags   []string `yaml:"flags"`
		Ldflags []string `yaml:"ldflags"`
		Goos    []string `yaml:"goos"`
		Goarch  []string `yaml:"goarch"`
	} `yaml:"builds"`
	Archives []struct {
		IDs          []string `yaml:"ids"`
		Formats      []string `yaml:"formats"`
		NameTemplate string   `yaml:"name_template"`
	} `yaml:"archives"`
	Checksum struct {
		NameTemplate string `yaml:"name_template"`
	} `yaml:"checksum"`
	Nfpms []struct {
		Contents []struct {
			Src string `yaml:"src"`
			Dst string `yaml:"dst"`
		} `yaml:"contents"`
	} `yaml:"nfpms"`
}

func readReleaser(t interface{ Fatalf(string, ...any) }) *releaser {
	text, err := os.ReadFile("../../.goreleaser.yaml")
	if err != nil {
		t.Fatalf("%v", err)
	}
	var r releaser
	if err := yaml.Unmarshal(text, &r); err != nil {
		t.Fatalf(".goreleaser.yaml: %v", err)
	}
	if len(r.Builds) == 0 || len(r.Archives) == 0 || len(r.Nfpms) != 1 {
		t.Fatalf(".goreleaser.yaml has %d builds, %d archives and %d nfpms", len(r.Builds), len(r.Archives), len(r.Nfpms))
	}
	return &r
}

// writeRelease writes the archives of a release as .goreleaser.yaml describes them:
// "release DIR TAG FILE".
func writeRelease(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: release DIR TAG FILE")
	}
	dir, program := ts.MkAbs(args[0]), ts.ReadFile(args[2])
	ts.Check(os.MkdirAll(dir, 0o755))
	r := readReleaser(ts)
	var checksums strings.Builder
	for _, b := range r.Builds {
		for _, a := range r.Archives {
			if !slices.Contains(a.IDs, b.ID) {
				continue
			}
			if len(a.Formats) != 1 {
				ts.Fatalf(".goreleaser.yaml: an archive has the formats %q", a.Formats)
			}
			name := template.Must(template.New("").Parse(a.NameTemplate))
			for _, goos := range b.Goos {
				archive := packProgram(ts, a.Formats[0], r.ProjectName, goos, program)
				for _, goarch := range b.Goarch {
					var file strings.Builder
					ts.Check(name.Execute(&file, map[string]string{"ProjectName": r.ProjectName, "Version": strings.TrimPrefix(args[1], "v"), "Os": goos, "Arch": goarch}))
					file.WriteString("." + a.Formats[0])
					ts.Check(os.WriteFile(filepath.Join(dir, file.String()), archive, 0o644))
					fmt.Fprintf(&checksums, "%x  %s\n", sha256.Sum256(archive), file.String())
				}
			}
		}
	}
	ts.Check(os.WriteFile(filepath.Join(dir, r.Checksum.NameTemplate), []byte(checksums.String()), 0o644))
}

// packProgram returns an archive of a program for a system.
func packProgram(ts *testscript.TestScript, format, file, goos, program string) []byte {
	if goos == "windows" {
		file += ".exe"
	}
	var archive bytes.Buffer
	if format == "zip" {
		packed := zip.NewWriter(&archive)
		w, err := packed.Create(file)
		ts.Check(err)
		_, err = io.WriteString(w, program)
		ts.Check(errors.Join(err, packed.Close()))
		return archive.Bytes()
	}
	packed := tar.NewWriter(&archive)
	ts.Check(packed.WriteHeader(&tar.Header{Name: file, Mode: 0o755, Size: int64(len(program))}))
	_, err := io.WriteString(packed, program)
	ts.Check(errors.Join(err, packed.Close()))
	if format != "tar.xz" {
		ts.Fatalf("the action unpacks tar.xz and zip, not %s", format)
	}
	compress := exec.Command("xz", "-0")
	compress.Stdin = &archive
	compressed, err := compress.Output()
	ts.Check(err)
	return compressed
}

// TestNixManifest: GoReleaser writes the input installShellFiles whenever something is installed after
// the program. Named again, it makes an expression that Nix refuses.
func TestNixManifest(t *testing.T) {
	text, err := os.ReadFile("../../.goreleaser.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var r struct {
		Nix []struct {
			ExtraInstall string   `yaml:"extra_install"`
			Dependencies []string `yaml:"dependencies"`
		} `yaml:"nix"`
	}
	if err := yaml.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Nix) != 1 || !strings.Contains(r.Nix[0].ExtraInstall, "installShellCompletion") {
		t.Fatalf(".goreleaser.yaml: nix is %+v, want one entry that installs completions", r.Nix)
	}
	if slices.Contains(r.Nix[0].Dependencies, "installShellFiles") {
		t.Error(".goreleaser.yaml: nix names installShellFiles, which GoReleaser adds itself")
	}
}

// TestReleaseIsReproducible: what a release packs has the time of the commit, and no flag that
// depends on the machine. .ci/reproduce compares the bytes of two builds.
func TestReleaseIsReproducible(t *testing.T) {
	text, err := os.ReadFile("../../.goreleaser.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var r struct {
		Builds []struct {
			ID           string   `yaml:"id"`
			Flags        []string `yaml:"flags"`
			Env          []string `yaml:"env"`
			ModTimestamp string   `yaml:"mod_timestamp"`
		} `yaml:"builds"`
		Archives []struct {
			ID         string `yaml:"id"`
			BuildsInfo struct {
				Mtime string `yaml:"mtime"`
			} `yaml:"builds_info"`
			Files []struct {
				Src  string `yaml:"src"`
				Info struct {
					Mtime string `yaml:"mtime"`
				} `yaml:"info"`
			} `yaml:"files"`
		} `yaml:"archives"`
		Nfpms []struct {
			Mtime string `yaml:"mtime"`
		} `yaml:"nfpms"`
	}
	if err := yaml.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	const date = "{{ .CommitDate }}"
	for _, b := range r.Builds {
		if !slices.Contains(b.Flags, "-trimpath") || !slices.Contains(b.Env, "CGO_ENABLED=0") || b.ModTimestamp != "{{ .CommitTimestamp }}" {
			t.Errorf("build %s: flags %q, environment %q, time %s", b.ID, b.Flags, b.Env, b.ModTimestamp)
		}
	}
	for _, a := range r.Archives {
		if a.BuildsInfo.Mtime != date {
			t.Errorf("archive %s: the program has the time %q", a.ID, a.BuildsInfo.Mtime)
		}
		for _, f := range a.Files {
			if f.Info.Mtime != date {
				t.Errorf("archive %s: %s has the time %q", a.ID, f.Src, f.Info.Mtime)
			}
		}
	}
	if len(r.Nfpms) == 0 || r.Nfpms[0].Mtime != date {
		t.Error("the files of packages do not have the time of the commit")
	}
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
	for _, f := range option.Of(option.Check) {
		known[f.Name] = true
	}
	for _, s := range a.Runs.Steps {
		if strings.Contains(s.Run, "${{") {
			t.Errorf("step %s inserts the text of an input into its script", s.ID)
		}
		if s.Run != "" && s.Shell == "" {
			t.Errorf("step %s names no shell", s.ID)
		}
		if path := s.With["path"]; path != "" && path != "${{ steps.program.outputs.built }}" {
			t.Errorf("step %s uses %s, which may be a symbolic link of the checkout", s.ID, path)
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

// hook is an entry of .pre-commit-hooks.yaml.
type hook struct {
	ID            string   `yaml:"id"`
	Name          string   `yaml:"name"`
	Description   string   `yaml:"description"`
	Language      string   `yaml:"language"`
	Entry         string   `yaml:"entry"`
	Args          []string `yaml:"args"`
	Types         []string `yaml:"types_or"`
	RequireSerial bool     `yaml:"require_serial"`
	Minimum       string   `yaml:"minimum_pre_commit_version"`
}

func readHooks(t interface{ Fatalf(string, ...any) }) (hooks []hook) {
	text, err := os.ReadFile("../../.pre-commit-hooks.yaml")
	if err != nil {
		t.Fatalf("%v", err)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&hooks); err != nil {
		t.Fatalf(".pre-commit-hooks.yaml: %v", err)
	}
	if len(hooks) == 0 {
		t.Fatalf(".pre-commit-hooks.yaml has no hooks")
	}
	return hooks
}

// writeHooks writes a configuration of pre-commit with our hooks, which run the program in
// PATH: "hooks FILE [ARG...]". The arguments stand for those that users set.
func writeHooks(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: hooks FILE [ARG...]")
	}
	hooks := readHooks(ts)
	for i := range hooks {
		hooks[i].Language = "system" // golang would build the program, with modules from the network
		if len(args) > 1 {
			hooks[i].Args = args[1:]
		}
	}
	text, err := yaml.Marshal(map[string]any{"repos": []any{map[string]any{"repo": "local", "hooks": hooks}}})
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), text, 0o644))
}

func TestHooksHoldTogether(t *testing.T) {
	hooks := readHooks(t)
	for _, h := range hooks {
		if h.ID == "" || h.Name == "" || h.Language != "golang" || !strings.HasPrefix(h.Entry, "orbweaver check") {
			t.Errorf("hook %+v is incomplete", h)
		}
		if h.Minimum != "3.0.0" {
			t.Errorf("hook %s needs pre-commit %s, want 3.0.0, which can install Go", h.ID, h.Minimum)
		}
		if len(h.Args) == 0 || h.Args[len(h.Args)-1] != "--" {
			t.Errorf("hook %s: the arguments %q do not end with --, behind which pre-commit adds the names of files", h.ID, h.Args)
			continue
		}
		for _, arg := range h.Args[:len(h.Args)-1] {
			name, value, _ := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
			i := slices.IndexFunc(option.Of(option.Check), func(f *option.Flag) bool { return f.Name == name })
			if i < 0 || !slices.Contains(option.Of(option.Check)[i].Words, value) {
				t.Errorf("hook %s: %s is not a flag of check", h.ID, arg)
			}
		}
	}
}

// TestDependenciesArePinned: a tag of an action or image can be moved to other code. The
// examples of the documentation are copied by users, so they are pinned as well. Our own
// action has no commit before its release.
func TestDependenciesArePinned(t *testing.T) {
	action := regexp.MustCompile(`^[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)
	image := regexp.MustCompile(`^\S+:\S+@sha256:[0-9a-f]{64}( AS \w+)?$`)
	use := regexp.MustCompile(`^\s*(?:- )?(uses|image): *(.+)|^(FROM) (.+)`)
	pinned := 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if d != nil && (d.Name() == ".git" || d.Name() == "testdata") {
				return filepath.SkipDir
			}
			return err
		}
		docker := strings.Contains(d.Name(), "Dockerfile")
		if ext := filepath.Ext(path); !docker && ext != ".yml" && ext != ".yaml" && ext != ".md" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		n := 0
		stages := map[string]bool{} // of this Dockerfile
		for line := range strings.Lines(string(text)) {
			n++
			m := use.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
			if m == nil || m[3] != "" && !docker {
				continue
			}
			what, form := m[2]+m[4], image
			if stage, name, ok := strings.Cut(what, " AS "); ok {
				stages[name] = true
				if stages[stage] {
					continue
				}
			}
			if m[1] == "uses" {
				form = action
			}
			switch {
			case strings.HasPrefix(what, "orbweaver/orbweaver@v"), strings.HasPrefix(what, "./"), stages[what]:
			case form.MatchString(what):
				pinned++
			default:
				t.Errorf("%s:%d: %s is not pinned by digest", path, n, what)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if pinned == 0 {
		t.Error("no dependency was found")
	}
}
