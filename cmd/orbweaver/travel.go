package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/spf13/cobra"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/option"
	"github.com/orbweaver/orbweaver/crawler"
)

// travel is what workers must know of a shared crawl: the configuration without secrets.
type travel struct {
	Targets []string `json:"targets"`
	// Config has the settings in the form of a configuration file. ${NAME} in a rule is
	// expanded by each worker.
	Config string `json:"config"`
	// CAFile is the content of --ca-file.
	CAFile []byte `json:"ca_file,omitempty"`
	// Headers are the names of the fields of --header, and Secrets the names of other flags
	// with secrets: each worker needs them, too.
	Headers []string `json:"headers,omitempty"`
	Secrets []string `json:"secrets,omitempty"`
	// Evidence is set if each process keeps what it asked.
	Evidence bool `json:"evidence,omitempty"`
	// Drift is set if workers read the texts of pages of other sites. The coordinator compares them.
	Drift bool `json:"drift,omitempty"`
	// Command is the command of the coordinator, for messages about differing settings.
	Command *command `json:"command,omitempty"`
}

// newTravel collects what travels from the settings of check.
func newTravel(s *settings) (*travel, error) {
	t := &travel{Evidence: s.Text("evidence") != "", Drift: s.On("drift")}
	keys := map[string]any{}
	for _, f := range option.Of(option.Check) {
		switch {
		case f.Workers == option.Own:
			if f.Name != "header" && s.Given(f.Name) && !slices.Equal(s.Texts(f), f.Default()) {
				t.Secrets = append(t.Secrets, f.Name)
			}
		case f.StaysHome() || !s.Given(f.Name):
		case f.Many == option.Once:
			keys[f.Name] = s.Typed(f)
		default:
			keys[f.Name] = slices.DeleteFunc(slices.Clone(s.List(f.Name)), func(text string) bool { return text == "" })
		}
	}
	for _, text := range s.List("header") {
		if name, _, err := parseHeader(text); err == nil {
			t.Headers = append(t.Headers, http.CanonicalHeaderKey(name))
		}
	}
	if os.Getenv(passwordVariable) != "" && s.signsIn() {
		t.Secrets = append(t.Secrets, "login-password-file")
	}
	for name, blocks := range s.blocks {
		if name == "login" {
			if err := withoutLoginSecrets(blocks); err != nil {
				return nil, err
			}
		}
		keys[name] = blocks
	}
	var text bytes.Buffer
	if err := toml.NewEncoder(&text).Encode(keys); err != nil {
		return nil, fmt.Errorf("store the configuration for the workers: %w", err)
	}
	t.Config = text.String()
	if s.Text("ca-file") != "" {
		content, err := os.ReadFile(s.Text("ca-file"))
		if err != nil {
			return nil, fmt.Errorf("ca-file: %w", err)
		}
		t.CAFile = content
	}
	return t, nil
}

// withoutLoginSecrets returns an error if a [[login]] block has a secret that is not in the
// environment.
func withoutLoginSecrets(blocks any) error {
	list, _ := blocks.([]map[string]any)
	for _, b := range list {
		for _, key := range []string{"password", "totp"} {
			if text, ok := b[key].(string); ok && !(strings.HasPrefix(text, "${") && strings.HasSuffix(text, "}")) {
				return fmt.Errorf("%s in [[login]]: secrets do not travel to workers: write it as ${NAME} and set the variable for each process", key)
			}
		}
	}
	return nil
}

// sharedTargets returns an error for a target that a shared crawl cannot have, before anything
// is connected. What it reads from standard input can be read once more.
func sharedTargets(cmd *cobra.Command, o *options, args []string) error {
	var stdin []byte
	if slices.Contains(o.from, "-") {
		text, err := io.ReadAll(cmd.InOrStdin())
		if err != nil {
			return usageError("read standard input: %w", err)
		}
		stdin = text
		cmd.SetIn(bytes.NewReader(text))
	}
	reader := &targetReader{stdin: bytes.NewReader(stdin), note: func(string, ...any) {}, types: o.crawl.Reading.Types, preprocess: o.preprocess, noIgnore: o.noIgnore, commands: commandNames(cmd)}
	targets, err := reader.read(args, o.from)
	if err != nil {
		return err
	}
	for _, t := range targets {
		if t.kind != website || !isWeb(t.url) {
			return errNotShared(t.raw)
		}
	}
	return nil
}

func errNotShared(target string) error {
	return usageError("%s: targets of a shared crawl are http and https URLs (--frontier)", target)
}

// withTargets adds the targets, without the passwords in them.
func (t *travel) withTargets(seeds []crawler.Seed) error {
	for _, one := range seeds {
		if scheme := one.URL.Scheme(); scheme != "http" && scheme != "https" || !one.Crawl {
			return errNotShared(one.Raw)
		}
		if one.URL.HasUserinfo() && !slices.Contains(t.Secrets, "user") {
			t.Secrets = append(t.Secrets, "user")
		}
		t.Targets = append(t.Targets, one.URL.WithoutUserinfo().String())
	}
	return nil
}

func (t *travel) marshal() (json.RawMessage, error) {
	text, err := json.Marshal(t)
	if err != nil {
		return nil, fmt.Errorf("store the configuration for the workers: %w", err)
	}
	return text, nil
}

// settings returns the settings of a crawl with the secrets and limits of a worker. remove
// removes the file that it needs, and is never nil.
func (t *travel) settings(crawl string, own *settings) (s *settings, remove func(), err error) {
	remove = func() {}
	s = addFlags(&cobra.Command{}, option.Check)
	for _, f := range option.Of(option.Worker) {
		if f.On&option.Check != 0 && f.Group != option.Machines && own.Given(f.Name) {
			s.Set(f.Name, own.Origin(f.Name), own.List(f.Name)...)
		}
	}
	if err := applyConfig(s, &configFile{name: "the crawl " + crawl, env: os.LookupEnv}, t.Config); err != nil {
		return nil, remove, err
	}
	if len(t.CAFile) > 0 {
		f, err := os.CreateTemp("", "orbweaver-ca-")
		if err != nil {
			return nil, remove, err
		}
		remove = func() { _ = os.Remove(f.Name()) }
		_, err = f.Write(t.CAFile)
		if err = errors.Join(err, f.Close()); err != nil {
			return nil, remove, err
		}
		s.Set("ca-file", "ca-file in the crawl", f.Name())
	}
	if t.Evidence && s.Text("evidence") == "" {
		return nil, remove, errors.New("the crawl keeps evidence, each process of what it asked: give this worker --evidence PATH")
	}
	return s, remove, t.missing(s)
}

// missing returns an error that names the secrets that a worker lacks.
func (t *travel) missing(s *settings) error {
	var lacking []string
	has := map[string]bool{}
	for _, text := range s.List("header") {
		if name, _, err := parseHeader(text); err == nil {
			has[http.CanonicalHeaderKey(name)] = true
		}
	}
	for _, name := range t.Headers {
		if !has[name] {
			lacking = append(lacking, fmt.Sprintf("--header '%s: …'", name))
		}
	}
	for _, name := range t.Secrets {
		if s.Given(name) || name == "login-password-file" && os.Getenv(passwordVariable) != "" {
			continue
		}
		lacking = append(lacking, "--"+name)
	}
	if len(lacking) > 0 {
		return fmt.Errorf("the crawl needs %s, and secrets do not travel: give this worker the same", strings.Join(slices.Compact(lacking), " and "))
	}
	return nil
}
