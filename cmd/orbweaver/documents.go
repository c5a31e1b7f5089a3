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

// readableByName reports whether the name of a file tells that it can be read for links. The
// content is a space, which matches no format: formats that are recognized by the first
// bytes, such as bookmarks in JSON, are not known by name.
func readableByName(name string) bool { return formatByName(name) != "" }

func formatByName(name string) string {
	format, _ := extract.Readable(fetch.TypeByName(name), path.Base(filepath.ToSlash(name)), []byte(" "))
	return format
}

// isDocument reports whether a file found in a directory is read for links. It looks at
// the name, and at the first bytes if the name does not determine the format. rel is the
// path relative to the directory, with slashes.
func isDocument(dir, rel string) bool {
	format := formatByName(rel)
	if format == "" {
		if _, open := extract.Readable(fetch.TypeByName(rel), path.Base(rel), nil); !open {
			return false
		}
		format, _ = sniffFormat(filepath.Join(dir, filepath.FromSlash(rel)))
	}
	return extract.InDirectory(format)
}

// readableFile reports whether a file that the user names can be read for links, by its name
// or its first bytes. It is true for files that cannot be opened; the run reports those.
func readableFile(file string) bool {
	if readableByName(file) {
		return true
	}
	format, err := sniffFormat(file)
	return format != "" || err != nil
}

// sniffFormat determines the format of a file by its name and first bytes; "" if it is not
// known.
func sniffFormat(file string) (format string, err error) {
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

// parseStdinType reads a format, which is a media type or a file extension.
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

// typeOfStdin returns the given media type. If none is given, it is "" if the first bytes
// determine the format, and HTML otherwise: a fragment of a page cannot be recognized.
func typeOfStdin(given string, body []byte) string {
	if _, known := extract.Readable("", "", body[:min(len(body), extract.SniffLength)]); given == "" && !known {
		return "text/html"
	}
	return given
}
