package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
)

// readableByName reports whether the name of a file tells that it can be read for links. The
// content is a space, which matches no format: formats that are recognized by the first
// bytes, such as bookmarks in JSON, are not known by name.
func readableByName(types fetch.Types, name string) bool { return formatByName(types, name) != "" }

func formatByName(types fetch.Types, name string) string {
	format, _ := extract.Readable(types.Of(name), path.Base(filepath.ToSlash(name)), []byte(" "))
	return format
}

// isDocument reports whether a file found in a directory is read for links. It looks at
// the name, and at the first bytes if the name does not determine the format. rel is the
// path relative to the directory, with slashes.
func isDocument(types fetch.Types, preprocess disk.Preprocessors, dir, rel string) bool {
	if _, typed := types.Set(rel); typed || preprocess.For(rel) != nil {
		return true
	}
	format := formatByName(types, rel)
	if format == "" {
		if _, open := extract.Readable(types.Of(rel), path.Base(rel), nil); !open {
			return false
		}
		format, _ = sniffFormat(types, filepath.Join(dir, filepath.FromSlash(rel)))
	}
	return extract.InDirectory(format) || format == "redirects" && path.Dir(rel) == "." // hosts read that of the root
}

// readableFile reports whether a file that the user names can be read for links, by its name
// or its first bytes. It is true for files that cannot be opened; the run reports those. If
// anyText is set, it is also true for text of no known format.
func readableFile(types fetch.Types, preprocess disk.Preprocessors, file string, anyText bool) bool {
	if preprocess.For(file) != nil || readableByName(types, file) {
		return true
	}
	head, err := readHead(file)
	return err != nil || formatOfHead(types, file, head) != "" || anyText && types.Of(file) == "" && extract.IsText(head)
}

// sniffFormat determines the format of a file by its name and first bytes; "" if it is not
// known.
func sniffFormat(types fetch.Types, file string) (format string, err error) {
	head, err := readHead(file)
	if err != nil {
		return "", err
	}
	return formatOfHead(types, file, head), nil
}

func formatOfHead(types fetch.Types, file string, head []byte) string {
	format, _ := extract.Readable(types.Of(file), filepath.Base(file), head)
	return format
}

func readHead(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, extract.SniffLength)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return head[:n], nil
}

// parseFormat returns the media type of a format, which is given by its name, a file extension
// or a media type.
func parseFormat(name string) (string, error) {
	contentType := name
	if strings.EqualFold(name, "mdx") {
		contentType = extract.MDXType
	} else if !strings.Contains(name, "/") {
		name = strings.ToLower(name)
		if contentType = fetch.TypeByName("." + name); contentType == "" {
			contentType = extract.MediaType(name)
		}
	}
	if _, ok := extract.Readable(contentType, "", nil); !ok {
		return "", errors.New("use a format that can be read for links, such as html, or its media type")
	}
	return contentType, nil
}

// typeOfStdin returns the given media type. If none is given, it is "" if the first bytes
// determine the format, plain text without a tag, and HTML otherwise: a fragment of a page
// cannot be recognized.
func typeOfStdin(given string, body []byte) string {
	if _, known := extract.Readable("", "", body[:min(len(body), extract.SniffLength)]); given != "" || known {
		return given
	}
	if !bytes.Contains(body, []byte("<")) && extract.IsText(body) {
		return "text/plain"
	}
	return "text/html"
}
