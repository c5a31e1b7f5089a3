package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/report"
)

// codequalityFile is the file name that GitLab's documentation recommends.
const codequalityFile = "gl-code-quality-report.json"

// ci adds the reports that the CI system shows by itself. On GitHub these are
// annotations, which the runner reads from the output, and the job summary; on GitLab it
// is a code quality report. An error in one of them must not fail a run that would pass
// elsewhere.
type ci struct {
	env            func(string) string
	stdout, stderr io.Writer
	note           func(format string, args ...any)
}

// outputs returns the reports for a system that were not requested already.
func (c *ci) outputs(system string, asked []report.Output) []report.Output {
	switch c.system(system) {
	case "github":
		return c.github(asked)
	case "gitlab":
		return c.gitlab(asked)
	}
	return nil
}

// system returns the system that --ci names, or the one that is detected.
func (c *ci) system(name string) string {
	switch {
	case name != "auto":
		return name
	case c.env("GITHUB_ACTIONS") == "true":
		return "github"
	case c.env("GITLAB_CI") == "true":
		return "gitlab"
	}
	return "none"
}

func (c *ci) github(asked []report.Output) []report.Output {
	var outputs []report.Output
	if !hasFormat(asked, "github") {
		to := c.stdout
		if asked[0].Format.Name != "text" {
			to = c.stderr // keep output for programs unchanged; the runner reads both streams
		}
		outputs = append(outputs, report.Output{Format: formatNamed("github"), To: to})
	}
	if file := c.env("GITHUB_STEP_SUMMARY"); file != "" {
		if err := report.Appendable(file); err != nil {
			c.note("no job summary: %v", err)
		} else {
			outputs = append(outputs, report.Output{Format: formatNamed("markdown"), File: file, Append: true})
		}
	}
	return outputs
}

func (c *ci) gitlab(asked []report.Output) []report.Output {
	if hasFormat(asked, "codequality") {
		return nil
	}
	if _, err := os.Lstat(codequalityFile); err == nil {
		c.note("%s already exists and is not replaced; to write a code quality report, name a file: -o codequality:FILE", codequalityFile)
		return nil
	}
	return []report.Output{{Format: formatNamed("codequality"), File: codequalityFile}}
}

func hasFormat(outputs []report.Output, name string) bool {
	return slices.ContainsFunc(outputs, func(o report.Output) bool { return o.Format.Name == name })
}

func formatNamed(name string) *report.Format {
	f, err := report.ByName(name)
	if err != nil {
		panic(fmt.Sprintf("the table of formats has no %s", name))
	}
	return f
}

// repositoryPrefix returns the path of the working directory relative to the root of its
// repository, with slashes. The root is the nearest directory that contains .git, or the
// one that the CI system names. The path is empty at the root and outside repositories.
func repositoryPrefix(wd string, env func(string) string) string {
	wd, err := filepath.EvalSymlinks(wd)
	if err != nil {
		return ""
	}
	root := ""
	for dir := wd; root == ""; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			root = dir
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	for _, name := range []string{"GITHUB_WORKSPACE", "CI_PROJECT_DIR"} {
		if root == "" && env(name) != "" {
			root, _ = filepath.EvalSymlinks(env(name))
		}
	}
	if root == "" {
		return ""
	}
	rel, err := filepath.Rel(root, wd)
	if err != nil || rel == "." || !filepath.IsLocal(rel) {
		return ""
	}
	return strings.TrimSuffix(filepath.ToSlash(rel), "/")
}
