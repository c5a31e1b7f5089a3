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
	// Command is the command of the coordinator, for messages about differing settings.
	Command *command `json:"command,omitempty"`
}

// secretFlags are the flags whose values never travel.
var secretFlags = []string{"header", "user", "netrc", "cookies", "client-cert", "client-key", "proxy", "login-password-file", "login-field"}

// staysHome reports whether a flag concerns the coordinator alone.
func (f *flag) staysHome() bool {
	switch f.group {
	case output, betweenRunsGroup, machines, config:
		return true
	}
	return slices.Contains([]string{"from", "stdin-type", "base-url", "sources", "host-style", "no-ignore", "since", "watch", "max-time", "archive", "fail-on", "write-clean", "ca-file", "netrc-any-port", "render-browser"}, f.name)
}

// newTravel collects what travels from the settings of check.
func newTravel(s *settings) (*travel, error) {
	t := &travel{}
	keys := map[string]any{}
	for _, f := range flagsOn(onCheck) {
		texts := f.texts(s)
		if slices.Contains(secretFlags, f.name) {
			if f.name != "header" && s.given(f.name) && !slices.Equal(texts, f.texts(f.defaults())) {
				t.Secrets = append(t.Secrets, f.name)
			}
			continue
		}
		if f.staysHome() || !s.given(f.name) {
			continue
		}
		switch field := f.field(s).(type) {
		case *bool:
			keys[f.name] = *field
		case *string:
			keys[f.name] = *field
		case *[]string:
			keys[f.name] = slices.DeleteFunc(slices.Clone(*field), func(text string) bool { return text == "" })
		}
	}
	for _, text := range s.header {
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
	if s.caFile != "" {
		content, err := os.ReadFile(s.caFile)
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
	reader := &targetReader{stdin: bytes.NewReader(stdin), note: func(string, ...any) {}, types: o.crawl.Types, preprocess: o.preprocess, commands: commandNames(cmd)}
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
	s = addFlags(&cobra.Command{}, onCheck)
	for _, name := range append(slices.Clone(secretFlags), "concurrency", "max-time", "netrc-any-port") {
		if !own.given(name) {
			continue
		}
		for _, f := range flagsOn(onCheck) {
			if f.name != name {
				continue
			}
			switch to := f.field(s).(type) {
			case *bool:
				*to = *f.field(own).(*bool)
			case *string:
				*to = *f.field(own).(*string)
			case *[]string:
				*to = *f.field(own).(*[]string)
			}
			s.origin[name] = own.origin[name]
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
		s.caFile, s.origin["ca-file"] = f.Name(), "ca-file in the crawl"
	}
	return s, remove, t.missing(s)
}

// missing returns an error that names the secrets that a worker lacks.
func (t *travel) missing(s *settings) error {
	var lacking []string
	has := map[string]bool{}
	for _, text := range s.header {
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
		if s.given(name) || name == "login-password-file" && os.Getenv(passwordVariable) != "" {
			continue
		}
		lacking = append(lacking, "--"+name)
	}
	if len(lacking) > 0 {
		return fmt.Errorf("the crawl needs %s, and secrets do not travel: give this worker the same", strings.Join(slices.Compact(lacking), " and "))
	}
	return nil
}
