package disk

import "fmt"

// HostStyle names the kind of host a directory is published on. Static hosts
// differ in which file answers for a path, and a link that works on one is dead
// on another. With file.html, dir/index.html, both.html and both/index.html in
// the directory:
//
//	             /file    /file/      /dir       /dir/   /both      /both/        index files
//	plain        missing  missing     301 /dir/  200     301 /both/ 200           index.html index.htm
//	nginx        missing  missing     301 /dir/  200     301 /both/ 200           index.html index.htm
//	github-pages 200      missing     301 /dir/  200     both.html  200           index.html
//	netlify      200      301 /file   301 /dir/  200     both.html  301 /both     index.html
//	auto         200      missing     301 /dir/  200     both.html  200           index.html index.htm
//
// Beyond that:
//
//   - plain is a file server that lists directories (Go's http.FileServer,
//     Python's http.server); a list is no page, so a directory without an index
//     file counts as missing, as it does everywhere else;
//   - nginx is its stock configuration, try_files $uri $uri/ =404;
//   - netlify obeys the _redirects file in the root, see [parseRedirects];
//   - auto is netlify where the root has a _redirects file. A root without any
//     index file is taken for a tree of sources as code hosts show it: there
//     README.md or index.md answers for its directory, and where the root has a
//     README of any kind, so does the list of files of one that has neither. Where the
//     root is the source for mdBook, VitePress, Jekyll or Sphinx, a link to page.html
//     leads to the page.md, .markdown, .rst or .adoc that the page will be made of;
//   - an empty segment (a//b) is answered with 307 to the path without it;
//   - else a directory without an index file is missing with and without its slash.
type HostStyle uint8

// The styles, in the order of their names on the command line.
const (
	HostAuto HostStyle = iota
	HostPlain
	HostGitHubPages
	HostNetlify
	HostNginx
)

// hostStyles says which file answers, style by style.
var hostStyles = [...]struct {
	name       string
	index      []string // file names that answer for a directory, the first found wins
	extension  string   // added to a path that names no file; "" for never
	slashToExt bool     // "page/" is sent to "page" where page.html exists, even before page/index.html
	redirects  bool     // _redirects is obeyed
}{
	HostAuto:        {"auto", []string{"index.html", "index.htm"}, ".html", false, true},
	HostPlain:       {"plain", []string{"index.html", "index.htm"}, "", false, false},
	HostGitHubPages: {"github-pages", []string{"index.html"}, ".html", false, false},
	HostNetlify:     {"netlify", []string{"index.html"}, ".html", true, true},
	HostNginx:       {"nginx", []string{"index.html", "index.htm"}, "", false, false},
}

// sourceIndex are the files that answer for a directory of a source tree.
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

// ParseHostStyle reads the name of a style; "" is auto.
func ParseHostStyle(name string) (HostStyle, error) {
	if name == "" {
		return HostAuto, nil
	}
	for i := range hostStyles {
		if hostStyles[i].name == name {
			return HostStyle(i), nil
		}
	}
	return 0, fmt.Errorf("%q is no host style: use auto, plain, github-pages, netlify or nginx", name)
}
