package main

import (
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
)

// readable reports whether a file is read for links, by its name alone. The
// blank stands for content that gives nothing away: what is told from its
// first bytes, such as bookmarks in JSON, is not known by its name.
func readable(name string) bool { return formatByName(name) != "" }

func formatByName(name string) string {
	format, _ := extract.Readable(fetch.TypeByName(name), path.Base(filepath.ToSlash(name)), []byte(" "))
	return format
}

// isDocument reports whether a file that is met in a directory is read for links:
// by its name, or by its first bytes where the name leaves it open. rel is its path
// from the directory, with '/' between names.
func isDocument(dir, rel string) bool {
	format := formatByName(rel)
	if format == "" {
		if _, open := extract.Readable(fetch.TypeByName(rel), path.Base(rel), nil); !open {
			return false
		}
		format, _ = sniff(filepath.Join(dir, filepath.FromSlash(rel)))
	}
	return extract.InDirectory(format)
}

// sniffed reports whether a file that the user names is read for links, by its
// name or its first bytes. One that cannot be opened is left to the run.
func sniffed(file string) bool {
	if readable(file) {
		return true
	}
	format, err := sniff(file)
	return format != "" || err != nil
}

// sniff tells a file's format by its name and its first bytes, "" for none.
func sniff(file string) (format string, err error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	head := make([]byte, extract.SniffLength)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return "", err
	}
	format, _ = extract.Readable(fetch.TypeByName(file), filepath.Base(file), head[:n])
	return format, nil
}

// parseStdinType reads a format: a media type, or a file extension of one.
func parseStdinType(name string) (string, error) {
	contentType := name
	if !strings.Contains(name, "/") {
		contentType = fetch.TypeByName("stdin." + strings.ToLower(name))
	}
	if _, ok := extract.Readable(contentType, "", nil); !ok {
		return "", errors.New("use a format that can be read for links, such as html, or its media type")
	}
	return contentType, nil
}

// typeOfStdin is the media type that was given, none where the first bytes tell
// it, or else HTML: a fragment of a page gives nothing away.
func typeOfStdin(given string, body []byte) string {
	if _, known := extract.Readable("", "", body[:min(len(body), extract.SniffLength)]); given == "" && !known {
		return "text/html"
	}
	return given
}
