package judging

import (
	"regexp"
	"strings"
	"sync"

	"github.com/orbweaver/orbweaver/urinorm"
)

// scriptAnchors are fragments that the scripts of well-known hosts handle, so that no
// element of the delivered page needs to have the id. A row is as narrow as possible:
// other fragments of the host are judged as usual.
//
// host is the host itself, or with a leading dot any host below it. An empty host is
// for software that many hosts run, recognized by its paths. path and fragment match
// the whole path and the whole decoded fragment. The table is made on first use,
// because compiling its patterns would delay the start of the program.
var scriptAnchors = sync.OnceValue(func() []scriptAnchor {
	return []scriptAnchor{
		// GitHub: lines of source, parts of a conversation, lines of a diff, tabs of a repository's front page.
		{host: "github.com", fragment: whole(`LC?\d+(C\d+)?(-L?\d+(C\d+)?)?`)},
		{host: "github.com", fragment: whole(`(issue|issuecomment|pullrequestreview|discussioncomment|commitcomment|event|ref-(issue|pullrequest|commit))-[0-9a-f]+`)},
		{host: "github.com", fragment: whole(`(discussion_r|r|pullrequestreview-)\d+`)},
		{host: "github.com", fragment: whole(`diff-[0-9a-zA-Z]+([LR]\d+(-[LR]\d+)?)?`)},
		{host: "github.com", fragment: whole(`(readme|[A-Za-z0-9.-]+-ov-file|partial-(discussion|pull)-[a-z-]+|issuecomment-new|new_comment_field)`)},
		{host: "gist.github.com", fragment: whole(`(file-.+|gistcomment-\d+|LC?\d+(-L?\d+)?)`)},
		// GitLab, on its own host and on others: recognized by "/-/" in its paths.
		{host: "gitlab.com", fragment: whole(`(L\d+(-L?\d+)?|note_\d+|[0-9a-f]{40}_\d+_\d+|diff-content-[0-9a-f]+|discussion_[0-9a-f]+)`)},
		{path: whole(`/.+/-/(blob|blame|tree|raw|snippets|issues|work_items|merge_requests|commit|compare|epics)/.*`),
			fragment: whole(`(L\d+(-L?\d+)?|note_\d+|[0-9a-f]{40}_\d+_\d+|diff-content-[0-9a-f]+|discussion_[0-9a-f]+)`)},
		// Forgejo, Gitea: recognized by "/src/branch/" and the like.
		{host: "codeberg.org", fragment: whole(`(L\d+(-L?\d+)?|issuecomment-\d+|issue-\d+|diff-[0-9a-f]+([LR]\d+)?)`)},
		{path: whole(`/[^/]+/[^/]+/src/(branch|commit|tag)/.+`), fragment: whole(`L\d+(-L?\d+)?`)},
		// Bitbucket.
		{host: "bitbucket.org", fragment: whole(`(lines-\d+(:\d+)?(,\d+(:\d+)?)*|comment-\d+|chg[-_].+|[^/]+-\d+)`)},
		// Sourcegraph, Google's code search, Gerrit, Gitiles.
		{host: "sourcegraph.com", fragment: whole(`L\d+(:\d+)?(-\d+(:\d+)?)?`)},
		{host: ".googlesource.com", path: whole(`/c/.+`), fragment: whole(`(message-.+|\d+)`)},
		// Google's editors: headings, bookmarks, slides, sheets.
		{host: "docs.google.com", fragment: whole(`(heading=.+|bookmark=.+|slide=.+|gid=\d+.*|range=.+)`)},
		// Maps: a place and a zoom.
		{host: "www.openstreetmap.org", fragment: whole(`(map=.+|layers=.+)`)},
		{host: "geojson.io", fragment: whole(`(map|id|data)=.+`)},
		// Playgrounds and editors that keep their content in the fragment.
		{host: "www.typescriptlang.org", path: whole(`/([a-z-]+/)?play/?`), fragment: whole(`(code|example|handbook|gist|src)[/=-].+`)},
		{host: "babeljs.io", path: whole(`/repl.*`), fragment: whole(`\?.+`)},
		{host: "godbolt.org", fragment: whole(`(g:|z:|share).*`)},
		{host: "mermaid.live", fragment: whole(`(pako|base64):.+`)},
		{host: "excalidraw.com", fragment: whole(`(json|room|url|addLibrary)=.+`)},
		// Shared files whose key is the fragment, and never reaches the server.
		{host: "mega.nz", fragment: whole(`.+`)},
		{host: "send.vis.ee", fragment: whole(`.+`)},
		{host: "privatebin.net", fragment: whole(`.+`)},
		// Books and media: a page or a time.
		{host: "archive.org", fragment: whole(`(page|mode)/.+`)},
		{host: "www.youtube.com", fragment: whole(`t=[0-9hms]+`)},
		// Trackers and forums that load comments by script.
		{host: ".atlassian.net", fragment: whole(`(comment-\d+|icft=.+)`)},
		{host: "stackoverflow.com", fragment: whole(`comment\d+_\d+`)},
		{host: ".stackexchange.com", fragment: whole(`comment\d+_\d+`)},
	}
})

type scriptAnchor struct {
	host     string
	path     *regexp.Regexp
	fragment *regexp.Regexp
}

// privateHosts answer 404 for projects that exist, but are private.
var privateHosts = map[string]bool{"github.com": true, "raw.githubusercontent.com": true, "gitlab.com": true, "bitbucket.org": true, "codeberg.org": true}

// hidesPrivate reports whether a 404 for u may hide a private project.
func hidesPrivate(u urinorm.URL) bool {
	if u.IsZero() || !privateHosts[u.Host()] {
		return false
	}
	owner, project, _ := strings.Cut(strings.TrimPrefix(u.Path(), "/"), "/")
	return owner != "" && project != ""
}

func whole(pattern string) *regexp.Regexp { return regexp.MustCompile(`^(?:` + pattern + `)$`) }

// isScriptAnchor reports whether scripts of the URL's host handle the fragment, which is
// percent-decoded.
func isScriptAnchor(u urinorm.URL, fragment string) bool {
	if u.IsZero() {
		return false
	}
	if scheme := u.Scheme(); scheme != "https" && scheme != "http" {
		return false
	}
	host := u.Host()
	rows := scriptAnchors()
	for i := range rows {
		row := &rows[i]
		switch {
		case row.host == "":
		case row.host[0] == '.':
			if !strings.HasSuffix(host, row.host) {
				continue
			}
		case row.host != host:
			continue
		}
		if (row.path == nil || row.path.MatchString(u.Path())) && row.fragment.MatchString(fragment) {
			return true
		}
	}
	return false
}
