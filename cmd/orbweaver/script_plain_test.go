//go:build !race

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestScript runs the program as users do. The scripts have these commands in addition to
// those of testscript:
//
//	exits CODE orbweaver ARG...   the exit status is CODE
//	json FILE PATH REGEXP         the value at PATH (a.b.0.c) of a JSON file matches
//	serve DIR                     serves DIR on loopback; $SITE is its URL, $SITE/status/NNN answers NNN,
//	                              $SITE/redirect/NNN/PATH answers NNN with Location /PATH,
//	                              $SITE/echo/ shows the header X-Token, $SITE/hang never answers,
//	                              $SITE/private/ requires bob with the password hunter2, also at bob:hunter2@$HOST
//	                              $SITE/members/ requires signing in as bob with the password "hunter2 ü"
//	                              at $SITE/members/login; $SITE/bye ends the session
//	serveexample DIR              answers over TLS for https://example.com/, which all commands reach, like serve
//	recipe NAME CODE              runs the block NAME of docs/recipes.md as it is printed; its exit status is CODE
//	servearchive                  answers over TLS like the Wayback Machine, at $ARCHIVE (address:port)
//	action ID FILE                writes the script of a step of action.yml to FILE
//	hooks FILE [ARG...]           writes a configuration of pre-commit with our hooks, and ARG... instead of their arguments
//	release DIR TAG FILE          writes the archives of a release with FILE as the program, and checksums.txt, to DIR
//	awaitrequest /hang            waits for a request for it
//
// $DOCUMENTS is a directory with a real document of each format, $GUIDES that of the guides.
func TestScript(t *testing.T) {
	documents, err := filepath.Abs("../../testdata/documents")
	if err != nil {
		t.Fatal(err)
	}
	guides, err := filepath.Abs("docs")
	if err != nil {
		t.Fatal(err)
	}
	// Scripts start the program thousands of times, and the test binary takes longer to start.
	bin := t.TempDir()
	if err := os.Symlink(program(t), filepath.Join(bin, "orbweaver")); err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", bin+string(filepath.ListSeparator)+env.Getenv("PATH"))
			env.Values[hanging] = make(chan struct{})
			env.Setenv("DOCUMENTS", documents)
			env.Setenv("GUIDES", guides)
			env.Setenv("GORACE", raceExit)
			for _, name := range []string{"NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "NETRC", "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "GITHUB_WORKSPACE", "GITLAB_CI", "CI_PROJECT_DIR"} {
				env.Setenv(name, "")
			}
			return nil
		},
		Condition: condition,
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits":        exits,
			"json":         jsonValue,
			"serve":        cmdServe,
			"serveexample": serveExample,
			"recipe":       recipe,
			"servearchive": serveArchive,
			"awaitrequest": awaitRequest,
			"action":       stepScript,
			"hooks":        writeHooks,
			"release":      writeRelease,
		},
	})
}
