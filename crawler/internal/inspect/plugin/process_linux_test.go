package plugin

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
)

func init() {
	children["forks and lets go"] = func(c *child) {
		fork("holds", func(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} })
		c.hello()
		c.answer()
	}
}

// A process that has left the group and holds the pipes is not killed, and is not waited for.
func TestEscapedProcess(t *testing.T) {
	t.Parallel()
	w := newWatcher(t)
	c := childConfig("forks and lets go", w)
	holding := make(chan bool, 1)
	c.Stderr = lines(func(line string) {
		if line == "spell: holding" {
			holding <- true
		}
	})
	plugins, err := Start(t.Context(), []Config{c})
	if err != nil {
		t.Fatal(err)
	}
	<-holding
	wantMessage(t, plugins[0], "page 1")
	plugins[0].Close()
	for _, conn := range w.conns {
		conn.(interface{ CloseWrite() error }).CloseWrite()
	}
	if got := w.allEnded(t); got != 2 {
		t.Errorf("%d processes", got)
	}
}

// No descriptor is left, however often a process is started anew.
func TestDescriptors(t *testing.T) {
	count := func() int {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	run := func(child string, pages int) {
		plugins, err := Start(t.Context(), []Config{childConfig(child, nil)})
		if err != nil {
			t.Fatal(err)
		}
		for range pages {
			plugins[0].Check(t.Context(), smallPage)
		}
		plugins[0].Close()
	}
	run("good", 1) // opens what the runtime needs
	before := count()
	run("good", 1)
	run("ends after a page", 9)
	run("wrong id", 4)
	run("closes its output", 4)
	if after := count(); after != before {
		t.Errorf("%d descriptors are left", after-before)
	}
}
