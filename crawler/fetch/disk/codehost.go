package disk

import (
	"path/filepath"
	"strings"

	"github.com/orbweaver/orbweaver/urinorm"
)

// codeHosts are hosts that show the documents of a repository as pages, on which relative links
// lead to other pages of the host. Each has the path of a document below that of its
// repository. HEAD stands for the branch, whose name has no slash.
//
// GitLab is missing on purpose: there, a ".." at the root of the repository is ignored
// (lib/banzai/filter/repository_link_filter.rb).
var codeHosts = map[string]string{
	"github.com":   "/blob/HEAD/",       // https://docs.github.com/en/repositories, "About READMEs"
	"codeberg.org": "/src/branch/HEAD/", // Forgejo
	"gitea.com":    "/src/branch/HEAD/", // Gitea
}

// Hosted is a directory of a work tree that was cloned from a known code host.
type Hosted struct {
	documents string // the URL of the documents in it, with a final '/'
	depth     int    // directories above it in the work tree
}

// HostedAt returns where a directory is shown on a code host. ok is false if it is in no work tree
// of git, or if the host of its repository is not known.
func HostedAt(dir string) (h Hosted, ok bool) {
	dir, err := filepath.Abs(dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return h, false
	}
	root, gitDir := FindGit(dir)
	if root == "" {
		return h, false
	}
	host, repository := parseRemote(remoteAddress(gitDir))
	documents, ok := codeHosts[host]
	rel, err := filepath.Rel(root, dir)
	if !ok || err != nil {
		return h, false
	}
	h.documents = "https://" + host + "/" + EscapePath(repository) + documents
	if rel != "." {
		rel = filepath.ToSlash(rel)
		h.documents += EscapePath(rel) + "/"
		h.depth = strings.Count(rel, "/") + 1
	}
	return h, true
}

// Page returns the page of the host, outside of the documents, that a reference in a document of the
// directory leads to: such as "../../issues" in the root of a repository. ok is false for any other
// reference, and for one that leads to no page of a repository, such as "../x".
func (h Hosted) Page(ref string) (page urinorm.URL, ok bool) {
	up := 0
	for rest := strings.TrimPrefix(ref, "./"); strings.HasPrefix(rest, "../"); rest = rest[len("../"):] {
		up++
	}
	if up < h.depth+2 {
		return page, false
	}
	base, _, err := urinorm.ParseWeb(h.documents)
	if err != nil {
		return page, false
	}
	b, err := urinorm.NewBase(base, "")
	if err != nil {
		return page, false
	}
	page, _, err = b.Resolve(ref)
	return page, err == nil
}

// parseRemote returns the host and the path of a repository that is no wiki, without its ending ".git". An address is
// a URL, or HOST:PATH, both perhaps with a user (git-clone(1), "GIT URLS").
func parseRemote(address string) (host, repository string) {
	if scheme, rest, ok := strings.Cut(address, "://"); ok {
		if scheme != "https" && scheme != "http" && scheme != "ssh" && scheme != "git" {
			return "", ""
		}
		host, repository, _ = strings.Cut(rest, "/")
	} else {
		host, repository, _ = strings.Cut(address, ":")
	}
	host = host[strings.LastIndexByte(host, '@')+1:]
	host, _, _ = strings.Cut(host, ":")
	repository = strings.TrimSuffix(strings.Trim(repository, "/"), ".git")
	if strings.Contains(host, "/") || strings.Count(repository, "/") != 1 || strings.HasSuffix(repository, ".wiki") {
		return "", "" // a path, also one with a colon, is no address
	}
	return strings.TrimPrefix(strings.ToLower(host), "www."), repository
}
