package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/option"
)

// foundError applies the text of a found configuration.
func foundError(text string) error {
	s := addFlags(&cobra.Command{Use: "orbweaver"}, option.Check)
	env := func(name string) (string, bool) { return "value of " + name, true }
	return applyConfig(s, &configFile{name: configName, found: true, allowEnv: []string{"ALLOWED"}, env: env}, text)
}

func TestFoundConfiguration(t *testing.T) {
	t.Chdir(t.TempDir())
	outside := t.TempDir()
	for _, dir := range []string{"reports", ".git", "crawl", "linked"} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{
		"out": outside, "up": "..", "nowhere": filepath.Join(outside, "absent"), "here": "reports", "repository": ".git",
		"cache.db-journal": filepath.Join(outside, "victim"), filepath.Join("linked", stateFile): filepath.Join(outside, "victim"),
	} {
		if err := os.Symlink(to, name); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"source.json": "{}", "source.xml": "<a/>", "source.db": "text", "source.html": "<p>text",
		"earlier.csv": "url,verdict,code,status,page,line,column,element,attribute,raw,text,final_url,message\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		`exclude = ["a"]`:                                        "",
		`user = "me:secret"`:                                     "",
		`insecure = false`:                                       "",
		`header = ["A: ${ALLOWED}"]`:                             "",
		`header = ["A: $${SECRET}"]`:                             "",
		`output = ["report.json"]`:                               "",
		`output = ["-", "csv:new/a.csv"]`:                        "",
		`output = "here/report.json"`:                            "",
		`output = "reports/../report.json"`:                      "",
		`output = "` + wd + `/report.json"`:                      "",
		`state = "crawl"`:                                        "",
		`cache = "new/cache.db"`:                                 "",
		`sources = "."`:                                          "",
		`header = ["A: ${SECRET}"]`:                              "header in orbweaver.toml: a configuration that was not named cannot read the environment variable SECRET; --allow-env SECRET allows it; if you trust orbweaver.toml, name it: --config orbweaver.toml",
		`user = "me:${SECRET}"`:                                  "--allow-env SECRET",
		"[[rule]]\nmatch = \"**\"\nheader = {A = \"${SECRET}\"}": "rule 1 in orbweaver.toml: header: A: a configuration that was not named cannot read the environment variable SECRET",
		`proxy = "http://proxy.example:1"`:                       "proxy: a configuration that was not named cannot set it, because it redirects all requests; if you trust orbweaver.toml, name it: --config orbweaver.toml",
		`write = true`:                                           "write: a configuration",
		`netrc = true`:                                           "netrc: a configuration",
		`insecure = true`:                                        "insecure: a configuration",
		`cookies = "c.txt"`:                                      "cookies: a configuration",
		`client-key = "k.pem"`:                                   "client-key: a configuration",
		`from = "targets"`:                                       "from: a configuration",
		`output = "../report.json"`:                              "output: a configuration that was not named cannot use ../report.json: it is outside the working directory; if you trust",
		`output = "csv:../report"`:                               "outside",
		`output = "/report.json"`:                                "outside",
		`output = "out/report.json"`:                             "outside",
		`output = "out/new/report.json"`:                         "outside",
		`output = "out/../report.json"`:                          "outside",
		`output = "up/report.json"`:                              "outside",
		`output = "json:nowhere"`:                                "outside",
		`output = "new/../out/report.json"`:                      "outside",
		`output = "json:.git/hooks/pre-commit"`:                  "repository",
		`output = "json:.GIT/config"`:                            "repository",
		`output = "json:repository/config"`:                      "repository",
		`cache = "cache.db"`:                                     "cache.db-journal: it is outside",
		`history = "` + outside + `/h"`:                          "outside",
		`output = "json:docs.html"`:                              "a report in the format json has the extension .json there",
		`output = "source.json"`:                                 "source.json: it exists, and this program did not write it",
		`output = "earlier.csv"`:                                 "",
		`output = "junit:reports/links.xml"`:                     "",
		`output = "github:reports/a.txt"`:                        "a report in the format github has",
		`output = "json:.github/workflows/x.json"`:               "other programs read hidden files",
		`output = ".eslintrc.json"`:                              "other programs read hidden files",
		`output = ".orbweaver/report.json"`:                      "",
		`output = "fresh.sitemap.xml"`:                           "",
		`output = "sitemap:source.xml"`:                          "this program did not write it",
		`cache = "source.db"`:                                    "this program did not write it",
		`history = "Makefile.am"`:                                "a database has the extension",
		`write-clean = "source.html"`:                            "this program did not write it",
		`write-clean = "run.sh"`:                                 "has the extension .html",
		`baseline = "source.json"`:                               "",
		`baseline = "../other.json"`:                             "outside",
		`baseline = "reports"`:                                   "it is not a regular file",
		`sources = "source.json"`:                                "",
		`since = "HEAD"`:                                         "since: a configuration that was not named cannot set it, because it starts git",
		`watch = true`:                                           "watch: a configuration",
		`watch = false`:                                          "",
		`quiet = true`:                                           "quiet: a configuration",
		`dump-inputs = true`:                                     "dump-inputs: a configuration",
		`render = "never"`:                                       "",
		`render = "auto"`:                                        "render: a configuration",
		`render = "always"`:                                      "because it opens pages in a browser; if you trust orbweaver.toml, name it: --config orbweaver.toml",
		"[[rule]]\nmatch = \"**\"\nrender = \"always\"":          "rule 1 in orbweaver.toml: render: a configuration",
		"[[rule]]\nmatch = \"**\"\nrender = \"never\"":           "",
		`preprocess = "pdf=cat {}"`:                              "preprocess: a configuration",
		`tidy = true`:                                            "tidy: a configuration",
		`validator = "auto"`:                                     "validator: a configuration",
		`login = "https://example.com/"`:                         "login: a configuration",
		`max-wait = "1h"`:                                        "max-wait: a configuration that was not named cannot set it, because more than 10 minutes",
		`delay = "2s"`:                                           "",
		`max-body = "1GiB"`:                                      "max-body: a configuration",
		`max-body = "20MiB"`:                                     "",
		`state = "linked"`:                                       "linked/crawl.sqlite: it is outside",
		`state = ".."`:                                           "outside",
		`write-clean = "../clean.html"`:                          "outside",
		`sources = "../other"`:                                   "outside",
	} {
		err := foundError(text)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s\nerror %v, want %q", text, err, want)
		}
	}
}

// The reasons in the table for --allow-env: it cannot be given by the file that it restricts.
func TestFoundConfigurationCannotAllowItself(t *testing.T) {
	if err := foundError(`allow-env = ["SECRET"]`); err == nil || !strings.Contains(err.Error(), "unknown key allow-env") {
		t.Error(err)
	}
}

// The settings of an editor are not a file that could be named.
func TestRefusedSettingsOfEditor(t *testing.T) {
	s := addFlags(&cobra.Command{Use: "orbweaver"}, option.Check)
	err := applyClient(s, "", map[string]any{"since": "HEAD"})
	if err == nil || !strings.HasSuffix(err.Error(), "; the command line of the server may set it") || strings.Contains(err.Error(), "--config") {
		t.Errorf("since: %v, want an error that names the command line", err)
	}
}
