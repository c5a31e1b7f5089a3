//go:build unix

package programtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Usage is what a run of a program took.
type Usage struct {
	Wall, CPU time.Duration
	Memory    int64 // peak, in bytes
}

const (
	// launchInto is set in a process that runs a program and writes its usage to that file.
	launchInto = "ORBWEAVER_TEST_LAUNCH_INTO"
	// mostTime is when a measured program is stopped.
	mostTime = 5 * time.Minute
)

// Measure runs a program in a directory, for at most five minutes, and writes its standard
// output. Its exit status does not matter. The system counts the peak memory of the process
// that starts a program as the program's, so a process that has done nothing else starts it:
// this test, in which TestMain calls [Launch].
func Measure(t testing.TB, dir string, out io.Writer, args ...string) (u Usage) {
	t.Helper()
	var said strings.Builder
	into := filepath.Join(dir, "usage")
	cmd := exec.Command(os.Args[0], args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.Env = dir, out, &said, append(os.Environ(), launchInto+"="+into)
	err := cmd.Run()
	if err == nil {
		var text []byte
		if text, err = os.ReadFile(into); err == nil {
			err = json.Unmarshal(text, &u)
		}
	}
	if err != nil {
		t.Fatalf("measure %q: %v\n%s", args, err, said.String())
	}
	return u
}

// Launch does nothing in a test. In a process that [Measure] has started it runs the program,
// and ends the process.
func Launch() {
	if into := os.Getenv(launchInto); into != "" {
		if err := launch(into); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
}

func launch(into string) error {
	os.Unsetenv(launchInto)
	ctx, cancel := context.WithTimeout(context.Background(), mostTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[1], os.Args[2:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	began := time.Now()
	err := cmd.Run()
	u := Usage{Wall: time.Since(began)}
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) || ctx.Err() != nil {
		return errors.Join(err, ctx.Err())
	}
	u.CPU = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	u.Memory = int64(cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)
	if runtime.GOOS != "darwin" { // it is in bytes on macOS, in KiB elsewhere
		u.Memory <<= 10
	}
	text, err := json.Marshal(u)
	if err != nil {
		return err
	}
	return os.WriteFile(into, text, 0o666)
}
