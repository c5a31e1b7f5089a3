package main

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/orbweaver/orbweaver/urinorm"
)

// inside reports whether a path is in a directory.
func inside(dir, abs string) bool {
	rel, err := filepath.Rel(dir, abs)
	return err == nil && filepath.IsLocal(rel)
}

// fileURL returns the file: URL of an absolute path (RFC 8089).
func fileURL(abs string) (urinorm.URL, error) {
	slashed := filepath.ToSlash(abs)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // a drive letter
	}
	u, _, err := urinorm.ParseWeb("file://" + escapedPath(slashed))
	return u, err
}

// escapedPath percent-encodes a path.
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
	if len(path) > 2 && path[0] == '/' && path[2] == ':' && filepath.VolumeName(path[1:]) != "" {
		path = path[1:] // a drive letter
	}
	return filepath.FromSlash(path), nil
}
