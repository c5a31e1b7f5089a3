package extract

import (
	"fmt"
	"strings"
)

// AnchorRule is the rule by which a program that publishes documents makes the anchors of their
// headings. The zero value stands for no program, so that the rules of all of them apply.
type AnchorRule uint8

// anchorRules are the programs whose rules are known, with the style of the anchors. A program is
// plain if {#id} in a heading is text for it.
var anchorRules = [...]struct {
	name  string
	style int
	plain bool
}{
	{"auto", 0, false},
	{"github", likeGitHub, true},
	{"gitlab", likeGitLab, true},
	{"docusaurus", likeGitHub, false},
	{"vitepress", likeVuePress, false},
	{"vuepress", likeVuePress, false},
	{"starlight", likeGitHub, false}, // and other sites of Astro: github-slugger
	{"hugo", likeGitHub, false},      // autoHeadingIDType = "github", the default
	{"jekyll", likeGitHub, false},    // kramdown's parser for GitHub Flavored Markdown, the default
	{"kramdown", likeKramdown, false},
	{"mdbook", likeMdBook, false},
	{"mkdocs", likePython, false},
	{"pandoc", likePandoc, false}, // and Quarto
	{"sphinx", likeGitHub, false}, // MyST-Parser with myst_heading_anchors
}

// The styles of anchors, which are indexes of slugStyles.
const (
	likeGitHub = iota
	likeGitLab
	likeMdBook
	likePandoc
	likeKramdown
	likePython
	likePythonUnicode
	likeVuePress
)

// AnchorRules returns the names of all rules, that of the zero value first.
func AnchorRules() []string {
	names := make([]string, len(anchorRules))
	for i := range anchorRules {
		names[i] = anchorRules[i].name
	}
	return names
}

// ParseAnchorRule parses the name of a rule; "" means auto.
func ParseAnchorRule(name string) (AnchorRule, error) {
	for i := range anchorRules {
		if anchorRules[i].name == name {
			return AnchorRule(i), nil
		}
	}
	if name == "" {
		return 0, nil
	}
	return 0, fmt.Errorf("%q is not a rule for anchors: use %s", name, strings.Join(AnchorRules(), ", "))
}

// String returns the name of the rule.
func (r AnchorRule) String() string { return anchorRules[r].name }

// IgnoresCase reports whether a fragment may differ from the anchor of a heading in letter case, as the
// scripts of code hosts find it all the same. All rules together ignore it.
func (r AnchorRule) IgnoresCase() bool { return r == 0 || anchorRules[r].plain }
