package crawlertest

import (
	"bufio"
	_ "embed"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Python returns Debian's Python if it has a module. Otherwise the test is skipped, or fails if
// the environment variable CI is true.
func Python(t testing.TB, module string) (program string) {
	t.Helper()
	const python = "/usr/bin/python3"
	if err := exec.Command(python, "-c", "import "+module).Run(); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("python3-%s is needed: %v", module, err)
		}
		t.Skipf("python3-%s: %v", module, err)
	}
	return python
}

//go:embed django_site.py
var djangoSite string

// ServeDjango serves Django's admin on a loopback port until the test ends. Its only member
// is alice. A request for /cut/ ends all sessions, and one for /posts/ answers how many forms
// were posted. The URL does not end with a slash. Without Django the test is skipped, or
// fails if the environment variable CI is true.
func ServeDjango(t testing.TB, password string) (baseURL string) {
	t.Helper()
	cmd := exec.Command(Python(t, "django"), "-c", djangoSite, t.TempDir(), password)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stdin.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v: %s", err, &stderr)
		}
	})
	port, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatalf("%v: %s", err, &stderr)
	}
	return "http://127.0.0.1:" + strings.TrimSpace(port)
}
