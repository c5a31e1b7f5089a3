package validator

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// fakeJava returns a program that stands in for java, and a function that waits until the
// program and its children have ended.
func fakeJava(t *testing.T, script string) (program string, waitEnded func()) {
	alive, held, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		alive.Close()
		held.Close()
	})
	// The program inherits no descriptor, so it opens the pipe by its name.
	program = filepath.Join(t.TempDir(), "java")
	script = fmt.Sprintf("#!/bin/sh\nexec 9>/proc/%d/fd/%d\n%s\n", os.Getpid(), held.Fd(), script)
	if err := os.WriteFile(program, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return program, func() {
		held.Close()
		io.Copy(io.Discard, alive)
	}
}

const listens = `echo "Checker service started at http://127.0.0.1:1/"`

func TestCloseEndsTheGroup(t *testing.T) {
	program, waitEnded := fakeJava(t, "sleep 1000 &\n"+listens+"\nwait")
	j, err := startJava(t.Context(), program, "vnu.jar")
	if err != nil {
		t.Fatal(err)
	}
	j.close()
	waitEnded()
}

func TestStartIsCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	program, waitEnded := fakeJava(t, "sleep 1000")
	cancel()
	if _, err := startJava(ctx, program, "vnu.jar"); err != context.Canceled {
		t.Error(err)
	}
	waitEnded()
}

func TestStartFails(t *testing.T) {
	for script, want := range map[string]string{
		`echo 'Picked up JAVA_TOOL_OPTIONS: -Da'; echo 'Error: Unable to access jarfile'; echo 'end'; exit 1`: "java ended: error: Unable to access jarfile",
		`echo 'Unrecognized option: -Xss4m'; exit 1`:                                                          "java ended: unrecognized option: -Xss4m",
		`exit 1`: "java ended without a message",
		`echo 'java.io.IOException: Failed to bind to /127.0.0.1:1'; exit 1`:    "address already in use",
		`head -c 100000 /dev/zero | tr '\0' x; echo; echo 'Exception: y'; exit`: "java ended: exception: y",
	} {
		program, waitEnded := fakeJava(t, script)
		if _, err := startJava(t.Context(), program, "vnu.jar"); err == nil || err.Error() != want {
			t.Errorf("%s:\n got %v\nwant %s", script, err, want)
		}
		waitEnded()
	}
}

// The port is chosen anew when another program was faster.
func TestPortTaken(t *testing.T) {
	tried := filepath.Join(t.TempDir(), "tried")
	program, waitEnded := fakeJava(t, "if [ -e "+tried+" ]; then "+listens+"; sleep 1000; fi; >"+tried+"; echo Failed to bind to /127.0.0.1:1; exit 1")
	j, err := startJava(t.Context(), program, "vnu.jar")
	if err != nil {
		t.Fatal(err)
	}
	j.close()
	waitEnded()
}

// The service gets our environment without our own variables.
func TestJavaEnvironment(t *testing.T) {
	t.Setenv("ORBWEAVER_USER", "me:secret")
	t.Setenv("OTHER", "here")
	program, waitEnded := fakeJava(t, `echo "Exception: [$ORBWEAVER_USER] [$OTHER]"; exit 1`)
	if _, err := startJava(t.Context(), program, "vnu.jar"); err == nil || !strings.HasSuffix(err.Error(), "[] [here]") {
		t.Error(err)
	}
	waitEnded()
}

// When this process is killed, the service ends too.
func TestKilled(t *testing.T) {
	program, waitEnded := fakeJava(t, listens+"\nexec sleep 1000")
	owner := exec.Command(os.Args[0])
	owner.Env = append(os.Environ(), "VALIDATOR_TEST_ROLE=owner of java", "TEST_JAVA="+program)
	output, err := owner.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(output).ReadString('\n')
	owner.Process.Kill()
	owner.Wait()
	if line != "started\n" {
		t.Fatalf("%q %v", line, err)
	}
	waitEnded()
}
