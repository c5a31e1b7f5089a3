package disk

import "fmt"

// HostStyle is a kind of host on which a directory is published. Static hosts differ in
// which file answers for a path, so a link that works on one host is broken on another.
// With file.html, dir/index.html, both.html and both/index.html in the directory:
//
//	             /file    /file/      /dir       /dir/   /both      /both/        index files
//	plain        missing  missing     301 /dir/  200     301 /both/ 200           index.html index.htm
//	nginx        missing  missing     301 /dir/  200     301 /both/ 200           index.html index.htm
//	github-pages 200      missing     301 /dir/  200     both.html  200           index.html
//	netlify      200      301 /file   301 /dir/  200     both.html  301 /both     index.html
//	auto         200      missing     301 /dir/  200     both.html  200           index.html index.htm
//
// In addition:
//
//   - plain is a file server that lists directories (Go's http.FileServer, Python's
//     http.server). A listing is not a page, so a directory without an index file
//     counts as missing, as on all other hosts.
//   - nginx is nginx in its default configuration, try_files $uri $uri/ =404.
//   - netlify follows the _redirects file in the root; see netlify.go.
//   - auto is netlify if the root has a _redirects file. If the root has no index file,
//     auto treats it as a source tree shown on a code host. There README.md or index.md
//     answers for its directory. If the root has a README of any format, a directory
//     with neither file is answered by its file list. If the root contains the sources
//     for mdBook, VitePress, Jekyll or Sphinx, a link to page.html leads to the
//     page.md, .markdown, .rst or .adoc from which the page will be created.
//   - A path with an empty segment (a//b) gets a 307 redirect to the path without it.
//   - Otherwise a directory without an index file is missing, with and without its
//     slash.
type HostStyle uint8

// The styles, in the order of their names on the command line.
const (
	hostAuto HostStyle = iota
	hostPlain
	hostGitHubPages
	hostNetlify
	hostNginx
)

// hostStyles contains the rules of each style.
var hostStyles = [...]struct {
	name       string
	index      []string // files that answer for a directory, in order of preference
	extension  string   // appended to a path that names no file; "" means never
	slashToExt bool     // redirect "page/" to "page" if page.html exists, even if page/index.html does too
	redirects  bool     // follow the _redirects file
}{
	hostAuto:        {"auto", []string{"index.html", "index.htm"}, ".html", false, true},
	hostPlain:       {"plain", []string{"index.html", "index.htm"}, "", false, false},
	hostGitHubPages: {"github-pages", []string{"index.html"}, ".html", false, false},
	hostNetlify:     {"netlify", []string{"index.html"}, ".html", true, true},
	hostNginx:       {"nginx", []string{"index.html", "index.htm"}, "", false, false},
}

// sourceIndex lists the files that answer for a directory of a source tree.
var sourceIndex = []string{"README.md", "index.md"}

// HostStyles returns the names of all styles, the default first.
func HostStyles() []string {
	names := make([]string, len(hostStyles))
	for i := range hostStyles {
		names[i] = hostStyles[i].name
	}
	return names
}

// String returns the name of the style.
func (h HostStyle) String() string {
	if int(h) < len(hostStyles) {
		return hostStyles[h].name
	}
	return fmt.Sprintf("HostStyle(%d)", uint8(h))
}

// ParseHostStyle parses the name of a style; "" means auto.
func ParseHostStyle(name string) (HostStyle, error) {
	if name == "" {
		return hostAuto, nil
	}
	for i := range hostStyles {
		if hostStyles[i].name == name {
			return HostStyle(i), nil
		}
	}
	return 0, fmt.Errorf("%q is not a host style: use auto, plain, github-pages, netlify or nginx", name)
}
