package migrate

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/lazy"
)

// lcWarningRegex makes a content rule. LinkChecker searches the source of each page.
func lcWarningRegex(c *Config, _ string, v any) error {
	t, _ := text(v)
	pattern := re2(strings.TrimSpace(t))
	err := usable(pattern)
	if pattern != "" && err == nil {
		c.Content = append(c.Content, ContentRule{Name: "warningregex", Not: []string{"re:" + pattern}, In: "source", Level: "warning"})
	}
	return err
}

// pythonOnly matches what Python's regular expressions write in another way than RE2, and the
// escapes and character classes in which it means something else.
var pythonOnly = lazy.Regexp(`\\Z|\\u([0-9A-Fa-f]{4})|\\(?s:.)|\[\^?\]?(?:[^\]\\]|\\(?s:.))*\]|\{,([0-9]+)\}`)

// pythonUnicode matches the escape of a character in Python, within a character class.
var pythonUnicode = lazy.Regexp(`(\\\\)|\\u([0-9A-Fa-f]{4})`)

// re2 rewrites a regular expression of Python for RE2: \Z, \uHHHH and {,N}. What RE2 does not
// have, such as look-around, is left as it is.
func re2(pattern string) string {
	return pythonOnly().ReplaceAllStringFunc(pattern, func(m string) string {
		switch {
		case m == `\Z`:
			return `\z`
		case strings.HasPrefix(m, "{"):
			return "{0" + m[1:]
		}
		return pythonUnicode().ReplaceAllStringFunc(m, func(m string) string {
			if digits, found := strings.CutPrefix(m, `\u`); found {
				return `\x{` + digits + `}`
			}
			return m
		})
	})
}

// maxClamdConf is the size of the largest clamd.conf that is read, in bytes.
const maxClamdConf = 1 << 20

// lcClamd imports the address of clamd from its configuration file, where LinkChecker finds
// it.
func lcClamd(c *Config, _ string, v any) error {
	t, _ := text(v)
	address, err := readClamdConf(t)
	if err != nil {
		return fmt.Errorf("%w: set clamd to unix:PATH or tcp:HOST:PORT, if it is not at Debian's socket", err)
	}
	c.set("clamd", address)
	return nil
}

func readClamdConf(name string) (string, error) {
	failed := func(err error) (string, error) {
		if bad, ok := errors.AsType[*os.PathError](err); ok {
			err = bad.Err
		}
		return "", fmt.Errorf("read %s: %w", name, err)
	}
	// A named pipe would be waited for.
	if info, err := os.Stat(name); err != nil {
		return failed(err)
	} else if !info.Mode().IsRegular() {
		return failed(errors.New("it is not a file"))
	}
	f, err := os.Open(name)
	if err != nil {
		return failed(err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxClamdConf))
	if err != nil {
		return failed(err)
	}
	address, found := clamdAddress(string(text))
	if !found {
		return failed(errors.New("it names neither LocalSocket nor TCPSocket"))
	}
	return address, nil
}

// clamdAddress returns the address in a clamd.conf. The socket takes precedence over the port.
func clamdAddress(conf string) (string, bool) {
	host, port := "localhost", ""
	for line := range strings.Lines(conf) {
		fields := strings.Fields(line)
		if len(fields) < 2 {
			continue
		}
		value := strings.Trim(strings.Join(fields[1:], " "), `"`)
		switch fields[0] {
		case "LocalSocket":
			return "unix:" + value, true
		case "TCPSocket":
			port = value
		case "TCPAddr":
			host = value
		}
	}
	return "tcp:" + net.JoinHostPort(host, port), port != ""
}
