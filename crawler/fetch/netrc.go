package fetch

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// maxNetrcSize is the size limit of a netrc file, in bytes.
const maxNetrcSize = 1 << 20

// readNetrc reads a netrc file (ftp(1), in the format that curl accepts). Errors
// contain no words of the file, because any of them may be a password.
func readNetrc(file string) (map[string]account, *account, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxNetrcSize+1))
	if err != nil {
		return nil, nil, err
	}
	if len(text) > maxNetrcSize {
		return nil, nil, fmt.Errorf("read netrc %s: more than %d bytes", file, maxNetrcSize)
	}
	machines, fallback, err := parseNetrc(string(text))
	if err != nil {
		return nil, nil, fmt.Errorf("read netrc %s: %w", file, err)
	}
	return machines, fallback, nil
}

// parseNetrc parses machine, default, login, password, account and macdef entries. The
// first entry for a machine counts.
func parseNetrc(text string) (map[string]account, *account, error) {
	machines := make(map[string]account)
	var fallback *account
	var host string
	var entry *account
	store := func() {
		switch {
		case entry == nil:
		case host == "":
			if fallback == nil {
				fallback = entry
			}
		default:
			if _, ok := machines[host]; !ok {
				machines[host] = *entry
			}
		}
	}
	words := netrcWords{rest: text}
	for {
		word, ok := words.next()
		if !ok {
			store()
			return machines, fallback, nil
		}
		switch word {
		case "default":
			store()
			host, entry = "", new(account)
			continue
		case "macdef":
			words.skipMacro()
			continue
		case "machine", "login", "password", "account":
		default:
			return nil, nil, fmt.Errorf("line %d: expected machine, default, login, password, account or macdef", words.line+1)
		}
		value, ok := words.next()
		if !ok {
			return nil, nil, fmt.Errorf("line %d: no value after %s", words.line+1, word)
		}
		if word == "machine" {
			store()
			host, entry = strings.ToLower(value), new(account)
			continue
		}
		if entry == nil {
			return nil, nil, errors.New(word + " before any machine")
		}
		switch word {
		case "login":
			entry.name = value
		case "password":
			entry.password = value
		}
	}
}

// netrcWords splits a netrc file into words separated by white space. Double quotes
// enclose a word with blanks, and '#' at the beginning of a word starts a comment.
type netrcWords struct {
	rest string
	line int
}

func (w *netrcWords) next() (string, bool) {
	for {
		trimmed := strings.TrimLeft(w.rest, " \t\r\n")
		w.line += strings.Count(w.rest[:len(w.rest)-len(trimmed)], "\n")
		w.rest = trimmed
		if !strings.HasPrefix(trimmed, "#") {
			break
		}
		end := strings.IndexByte(trimmed, '\n')
		if end < 0 {
			end = len(trimmed)
		}
		w.rest = trimmed[end:]
	}
	if w.rest == "" {
		return "", false
	}
	if w.rest[0] == '"' {
		value, rest := cutParameter(w.rest)
		w.line += strings.Count(w.rest[:len(w.rest)-len(rest)], "\n")
		w.rest = rest
		return value, true
	}
	end := strings.IndexAny(w.rest, " \t\r\n")
	if end < 0 {
		end = len(w.rest)
	}
	word := w.rest[:end]
	w.rest = w.rest[end:]
	return word, true
}

// skipMacro skips a macro, which ends at an empty line.
func (w *netrcWords) skipMacro() {
	end := strings.Index(w.rest, "\n\n")
	if end < 0 {
		end = len(w.rest)
	}
	w.line += strings.Count(w.rest[:end], "\n")
	w.rest = w.rest[end:]
}
