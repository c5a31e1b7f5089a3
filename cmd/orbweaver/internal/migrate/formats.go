package migrate

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/lazy"
)

type format struct {
	program string   // empty if the file says it
	files   []string // usual names, with / between directories
	is      func(base string, text []byte) bool
	read    func(c *Config, text []byte) error
}

// formats are the files that can be read, in order of precedence, lowest first. The first one
// that a file is applies.
var formats = []format{
	{"MkDocs", []string{"mkdocs.yml", "mkdocs.yaml"}, exactly("mkdocs.yml", "mkdocs.yaml"), keysOf(decodeTagged, mkdocs.propose)},
	{"Sphinx", []string{"conf.py", "docs/conf.py", "doc/conf.py", "source/conf.py", "docs/source/conf.py", "doc/source/conf.py"}, isSphinx, readSphinx},
	{"Hugo", []string{"hugo.toml", "config.toml", "config/_default/hugo.toml", "config/_default/config.toml"}, isHugo(".toml"), keysOf(decodeTOML, hugo.propose)},
	{"Hugo", []string{"hugo.yaml", "hugo.yml", "config.yaml", "config.yml", "config/_default/hugo.yaml", "config/_default/config.yaml"}, isHugo(".yaml", ".yml"), keysOf(decodeTagged, hugo.propose)},
	{"Hugo", []string{"hugo.json", "config.json"}, isHugo(".json"), keysOf(json.Unmarshal, hugo.propose)},
	{"Docusaurus", []string{"docusaurus.config.js", "docusaurus.config.ts", "docusaurus.config.mjs", "website/docusaurus.config.js", "website/docusaurus.config.ts"},
		func(base string, _ []byte) bool { return strings.HasPrefix(base, "docusaurus.config.") }, docusaurus.readScript},
	{"Jekyll", []string{"_config.yml", "_config.yaml", "docs/_config.yml"}, exactly("_config.yml", "_config.yaml"), keysOf(decodeTagged, jekyll.propose)},
	{"lychee", []string{".lycheeignore"}, named("lycheeignore"), readLycheeIgnore},
	{"lychee", []string{"Cargo.toml"}, exactly("cargo.toml"), keysOf(decodeTOML, takeLycheeIn("package.metadata.lychee", "workspace.metadata.lychee"))},
	{"lychee", []string{"pyproject.toml"}, exactly("pyproject.toml"), keysOf(decodeTOML, takeLycheeIn("tool.lychee"))},
	{"lychee", []string{"lychee.toml", ".lychee.toml"}, named(".toml"), keysOf(decodeTOML, take(lycheeRows))},
	{"LinkChecker", []string{"linkcheckerrc", ".linkcheckerrc"}, func(base string, _ []byte) bool {
		return strings.Contains(base, "linkchecker") || strings.HasSuffix(base, ".ini")
	}, readLinkChecker},
	{"html-proofer", []string{".html-proofer.yml", ".htmlproofer.yml", "html-proofer.yml"}, func(base string, _ []byte) bool {
		return strings.Contains(base, "proofer") && (strings.HasSuffix(base, ".yml") || strings.HasSuffix(base, ".yaml"))
	}, keysOf(decodeYAML, takeHTMLProofer)},
	{"htmltest", []string{".htmltest.yml"}, isHTMLTest, keysOf(decodeYAML, takeHTMLTest)},
	{"", []string{"package.json"}, exactly("package.json"), readPackage},
	{"markdown-link-check", []string{".markdown-link-check.json", "markdown-link-check.json", ".mlc_config.json", "mlc_config.json", ".github/mlc_config.json",
		".github/workflows/mlc_config.json"}, isMarkdownLinkCheck, keysOf(json.Unmarshal, take(mlcRows))},
	{"linkinator", []string{"linkinator.config.json"}, named(".json"), keysOf(json.Unmarshal, importLinkinator)},
	{"", []string{"Rakefile", "rakefile", "Rakefile.rb"}, named("rakefile", ".rb", ".rake"), readRakefile},
	{"", []string{"GNUmakefile", "makefile", "Makefile"}, func(base string, _ []byte) bool {
		return strings.Contains(base, "makefile") || strings.HasSuffix(base, ".mk")
	}, readMakefile},
	{"", []string{".github/workflows/*.yml", ".github/workflows/*.yaml", ".gitlab-ci.yml", ".circleci/config.yml", ".travis.yml", "azure-pipelines.yml",
		"bitbucket-pipelines.yml", ".pre-commit-config.yaml", "Taskfile.yml"}, named(".yml", ".yaml"), readWorkflow},
}

// unread are files of settings that are not read, with the reason. They may be patterns.
var unread = []Skipped{
	{Option: "linkinator.config.[jmc]*s", Reason: "it is a program, which is not run: write its settings to linkinator.config.json"},
	{Option: ".linkspector.y*ml", Reason: linkspectorKeys},
	{Option: ".mlc.toml", Reason: "of mlc nothing is imported: its ignore-links are --exclude, and its ignore-path --no-follow"},
	{Option: ".github/linters/.markdown-link-check.json", Reason: "it is a linter's: to import it, use --from"},
}

const linkspectorKeys = "of Linkspector nothing is imported: its ignorePatterns are --exclude, its aliveStatusCodes --accept, and its dirs and files targets"

// isHugo reports whether a file of an extension is of Hugo, by its name or its content.
func isHugo(extensions ...string) func(string, []byte) bool {
	return func(base string, text []byte) bool {
		name, isOne := base, false
		for _, e := range extensions {
			if rest, ok := strings.CutSuffix(base, e); ok {
				name, isOne = rest, true
			}
		}
		return isOne && (name == "hugo" || name == "config" && hugoMark().Match(text))
	}
}

var hugoMark = lazy.Regexp(`(?mi)^\s*["']?(baseURL|languageCode|publishDir|contentDir)["']?\s*[:=]`)

func named(suffixes ...string) func(string, []byte) bool {
	return func(base string, _ []byte) bool {
		return slices.ContainsFunc(suffixes, func(s string) bool { return strings.HasSuffix(base, s) })
	}
}

func exactly(names ...string) func(string, []byte) bool {
	return func(base string, _ []byte) bool { return slices.Contains(names, base) }
}

// Files returns the usual names of the files that can be read.
func Files() []string {
	var names []string
	for _, f := range formats {
		names = append(names, f.files...)
	}
	return names
}

// Read reads the text of a file. The file name determines the format. A workflow, a makefile or
// a file of a package without settings of a link checker has an empty Config, without a
// Program.
func Read(name string, text []byte) (*Config, error) {
	if len(text) > MaxSize {
		return nil, fmt.Errorf("read %s: it is larger than %d bytes", name, MaxSize)
	}
	base := strings.ToLower(filepath.Base(name))
	for _, f := range formats {
		if !f.is(base, text) {
			continue
		}
		c := &Config{Program: f.program, file: filepath.ToSlash(name)}
		if err := f.read(c, text); err != nil {
			program := f.program
			if program == "" {
				program = "a link checker"
			}
			return nil, fmt.Errorf("read %s as configuration of %s: %w", name, program, err)
		}
		c.completeExceptions()
		if f.program != "" && c.Empty() && (base == "cargo.toml" || base == "pyproject.toml") {
			c.Program = ""
		}
		return c, nil
	}
	return nil, fmt.Errorf("read %s: unknown file name: use %s", name, strings.Join(Files(), ", "))
}
