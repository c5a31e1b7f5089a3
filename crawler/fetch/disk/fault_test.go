package disk

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
)

func TestFileFaults(t *testing.T) {
	for _, row := range []struct {
		err   error
		kind  string
		text  string
		local bool
	}{
		{syscall.ENOENT, "file-missing", "there is no such file", false},
		{syscall.ENOTDIR, "file-missing", "there is no such file", false},
		{syscall.ENAMETOOLONG, "file-missing", "there is no such file", false},
		{syscall.EACCES, "file-unreadable", "permission denied", false},
		{syscall.ELOOP, "file-unreadable", "it is part of a loop of symbolic links", false},
		{syscall.EIO, "file-unreadable", "input/output error", false},
		{syscall.EMFILE, "file-unreadable", "this process has too many open files", true},
		{syscall.ENFILE, "file-unreadable", "this machine has too many open files", true},
		{errors.New("path escapes from parent"), "file-outside-root", "it is outside the checked directory", false},
	} {
		f := fileFault("open", "a/b", fmt.Errorf("openat a/b: %w", row.err))
		if f.Kind != row.kind || f.Local != row.local || f.Retry != row.local || !strings.HasSuffix(f.Error(), row.text) {
			t.Errorf("%v: %+v", row.err, f)
		}
	}
}
