package disk

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// publishers are the names by which the directory of a site's sources is recognized, and the program
// that publishes them. A name that ends in a dot stands for one with any extension.
var publishers = []struct{ mark, program string }{
	{"docusaurus.config.", "docusaurus"},
	{".vitepress", "vitepress"},
	{".vuepress", "vuepress"},
	{"astro.config.", "starlight"},
	{"book.toml", "mdbook"},
	{"mkdocs.yml", "mkdocs"},
	{"mkdocs.yaml", "mkdocs"},
	{"_quarto.yml", "pandoc"},
	{"hugo.", "hugo"},
	{"conf.py", "sphinx"},
	{"_config.yml", "jekyll"},
}

// repositoryMarks are names in the root of a work tree that tell its code host, if its remote does not.
var repositoryMarks = []struct{ mark, host string }{
	{".github", "github"},
	{".gitlab-ci.yml", "gitlab"},
}

// maxMarkNames is the number of names of a directory that are looked at.
const maxMarkNames = 10_000

// Publishers finds the programs that publish documents. The zero value is ready to use. It is safe for
// concurrent use.
type Publishers struct {
	known sync.Map // by directory: found
}

// found is what publishes the documents of a directory.
type found struct{ program, host string }

// Of returns the program that publishes the document at a path: a site generator whose sources are in
// the innermost directory around it, else the code host of the work tree; "" if neither is known. A
// README is read on the host.
func (p *Publishers) Of(path string) string {
	dir, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return ""
	}
	f := p.at(dir)
	if f.program == "" || strings.HasPrefix(strings.ToLower(filepath.Base(path)), "readme.") {
		return f.host
	}
	return f.program
}

// at returns what publishes the documents of a directory. Directories around a work tree do not count.
func (p *Publishers) at(dir string) found {
	if known, ok := p.known.Load(dir); ok {
		return known.(found)
	}
	var f found
	names := namesIn(dir)
	gitDir := gitDirOf(dir)
	if gitDir != "" {
		f.host = hostOf(gitDir, names)
	} else if parent := filepath.Dir(dir); parent != dir {
		f = p.at(parent)
	}
	for _, m := range publishers {
		if hasMark(names, m.mark) {
			f.program = m.program
			break
		}
	}
	p.known.Store(dir, f)
	return f
}

// hostOf returns the code host of a work tree, whose root has the names.
func hostOf(gitDir string, names []string) string {
	switch host, _ := parseRemote(remoteAddress(gitDir)); {
	case host == "github.com":
		return "github"
	case host == "gitlab.com", strings.HasPrefix(host, "gitlab."):
		return "gitlab"
	case host != "":
		return ""
	}
	for _, m := range repositoryMarks {
		if hasMark(names, m.mark) {
			return m.host
		}
	}
	return ""
}

// namesIn returns names in a directory, none if it cannot be read.
func namesIn(dir string) []string {
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	names, _ := f.Readdirnames(maxMarkNames) // what was read before an error counts
	return names
}

// hasMark reports whether one of the names is a mark, or begins with it if it ends in a dot.
func hasMark(names []string, mark string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		return name == mark || strings.HasSuffix(mark, ".") && strings.HasPrefix(name, mark)
	})
}
