package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/option"
	"github.com/orbweaver/orbweaver/crawler/session"
)

// passwordVariable is the environment variable with the password of a login. No flag takes
// one, because command lines are visible to others.
const passwordVariable = variablePrefix + "LOGIN_PASSWORD"

// loginBlock is a [[login]] of the configuration file, with environment variables expanded.
type loginBlock struct {
	session.Config
	passwordFile string
	fresh        string
	exposed      []string // keys with a secret that is written in a file that others can read
}

var loginKeys = []string{"url", "hosts", "user", "password", "password-file", "check", "check-text", "field", "form", "totp", "fresh"}

func readLogins(file *configFile, blocks []map[string]any) ([]loginBlock, error) {
	if err := file.permit("login", nil); err != nil {
		return nil, err
	}
	var logins []loginBlock
	var faults []error
	for i, keys := range blocks {
		l := loginBlock{Config: session.Config{Name: fmt.Sprintf("login %d in %s", i+1, file.name)}}
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			if err := l.read(key, keys[key], file); err != nil {
				faults = append(faults, fmt.Errorf("%s: %w", l.Name, err))
			}
		}
		if l.URL == "" {
			faults = append(faults, fmt.Errorf("%s: it needs url, the page with the form", l.Name))
		}
		logins = append(logins, l)
	}
	return logins, errors.Join(faults...)
}

// read reads one key. Errors do not repeat values, which may be secrets.
func (l *loginBlock) read(key string, value any, file *configFile) (err error) {
	text := func(v any) (string, error) {
		t, ok := v.(string)
		if !ok {
			return "", fmt.Errorf("%s: use a string", key)
		}
		expanded, err := expandEnv(t, file.variable)
		if err != nil {
			return "", fmt.Errorf("%s: %w", key, err)
		}
		return expanded, nil
	}
	secret := func(v any) (session.Secret, error) {
		t, err := text(v)
		if written, ok := v.(string); ok && !readsVariable(written) && file.isExposed() {
			l.exposed = append(l.exposed, key)
		}
		return session.NewSecret(t), err
	}
	texts := map[string]*string{"url": &l.URL, "user": &l.User, "password-file": &l.passwordFile, "check": &l.Check, "check-text": &l.CheckText, "form": &l.Form}
	if into, ok := texts[key]; ok {
		*into, err = text(value)
		return err
	}
	switch key {
	case "hosts":
		hosts, ok := configTexts(&option.Flag{Many: option.List}, value)
		if !ok {
			return fmt.Errorf("%s: use an array of strings, such as [\"www.example.com\", \"sso.example.com:8443\"]", key)
		}
		l.Hosts = hosts
	case "password":
		l.Password, err = secret(value)
	case "totp":
		l.TOTP, err = secret(value)
	case "fresh":
		t, ok := configText(value)
		if !ok {
			return fmt.Errorf("%s: use a duration", key)
		}
		l.fresh = t
	case "field":
		fields, ok := value.(map[string]any)
		if !ok {
			return fmt.Errorf("%s: use a table such as {tenant = \"docs\"}", key)
		}
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			t, err := text(fields[name])
			if err != nil {
				return err
			}
			l.Fields = append(l.Fields, session.Field{Name: name, Value: session.NewSecret(t)})
		}
	default:
		return unknownKey(key, loginKeys)
	}
	return err
}

// readsVariable reports whether a text contains a ${NAME} that is expanded.
func readsVariable(text string) bool {
	return strings.Contains(strings.ReplaceAll(text, "$${", ""), "${")
}

// isExposed reports whether other users of this machine can read the file.
func (f *configFile) isExposed() bool {
	info, err := os.Stat(f.name)
	return err == nil && othersMayRead(info)
}

// othersMayRead reports whether the mode of a file lets others read it. On Windows, modes
// do not tell.
func othersMayRead(info os.FileInfo) bool {
	return runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0
}
