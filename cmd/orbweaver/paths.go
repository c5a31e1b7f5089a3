package main

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/orbweaver/orbweaver/urinorm"
)

// inside reports whether a path is in a directory.
func inside(dir, abs string) bool {
	rel, err := filepath.Rel(dir, abs)
	return err == nil && filepath.IsLocal(rel)
}

// onWindows selects how paths are written: with drive letters and backslashes, or not.
const onWindows = runtime.GOOS == "windows"

// fileURL returns the file: URL of an absolute path (RFC 8089).
func fileURL(abs string) (urinorm.URL, error) {
	u, _, err := urinorm.ParseWeb("file://" + escapedPath(urlPath(abs, onWindows)))
	return u, err
}

// urlPath returns an absolute path as a file: URL has it, before it is encoded: C:\a is /C:/a.
func urlPath(abs string, windows bool) string {
	if windows {
		abs = strings.ReplaceAll(abs, `\`, "/")
	}
	if !strings.HasPrefix(abs, "/") {
		abs = "/" + abs // a drive letter
	}
	return abs
}

// systemPath returns the path of a file: URL, after it is decoded, as the system writes it:
// /C:/a is C:\a on Windows, and a name with a colon elsewhere.
func systemPath(path string, windows bool) string {
	if !windows {
		return path
	}
	if len(path) > 2 && path[0] == '/' && path[2] == ':' && isLetter(path[1]) {
		path = path[1:]
	}
	return strings.ReplaceAll(path, "/", `\`)
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func escapedPath(slashed string) string { return (&url.URL{Path: slashed}).EscapedPath() }

// unescapePath decodes the path of a file: URL.
func unescapePath(s string) (string, error) {
	decoded, err := url.PathUnescape(s)
	if err != nil || strings.ContainsRune(decoded, 0) {
		return "", errors.New("its path cannot be decoded")
	}
	return decoded, nil
}

// localPath returns the path of a file: URL on this machine (RFC 8089).
func localPath(raw string) (string, error) {
	u, _, err := urinorm.ParseWeb(raw)
	if err != nil {
		return "", err
	}
	if u.Host() != "" && u.Host() != "localhost" {
		return "", fmt.Errorf("it names the host %s, but files on other hosts cannot be read", u.Host())
	}
	path, err := unescapePath(u.Path())
	if err != nil {
		return "", err
	}
	return systemPath(path, onWindows), nil
}
