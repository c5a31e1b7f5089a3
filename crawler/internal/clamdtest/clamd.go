// Package clamdtest runs ClamAV's daemon with a small database for tests.
package clamdtest

import (
	"bufio"
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// What the database of [Start] finds. EICAR is the test file of the antivirus industry.
const (
	Pattern          = "orbweaver-test-signature" // anywhere in a body, also within archives
	PatternSignature = "Orbweaver.Test-1.UNOFFICIAL"
	EICAR            = `X5O!P%@AP[4\PZX54(P^)7CC)7}` + `$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*`
	EICARSignature   = "Eicar.Self-Made.UNOFFICIAL"
)

// Options says how clamd is started.
type Options struct {
	TCP      bool   // listen on a loopback port instead of a Unix socket
	Settings string // further lines of clamd.conf, such as "StreamMaxLength 1M"
}

// Server is a running clamd.
type Server struct {
	// Address is "unix:PATH" or "tcp:127.0.0.1:PORT". A restart keeps it.
	Address string

	t       testing.TB
	program string
	config  string
	cmd     *exec.Cmd
	drained chan struct{} // closed when the log has ended
}

// Start runs ClamAV's daemon until the test ends, with a database of two signatures. It
// returns when clamd accepts connections. Without the program the test is skipped, or fails
// if the environment variable CI is true.
func Start(t testing.TB, options Options) *Server {
	t.Helper()
	program, err := exec.LookPath("clamd")
	if err != nil {
		program, err = exec.LookPath("/usr/sbin/clamd")
	}
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("clamav-daemon is needed: %v", err)
		}
		t.Skipf("clamav-daemon: %v", err)
	}
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("test.ndb", "Orbweaver.Test-1:0:*:"+hex.EncodeToString([]byte(Pattern))+"\n")
	write("test.hdb", fmt.Sprintf("%x:%d:Eicar.Self-Made\n", md5.Sum([]byte(EICAR)), len(EICAR)))
	s := &Server{t: t, program: program}
	var socket string
	if options.TCP {
		address := freeAddress(t)
		s.Address = "tcp:" + address.String()
		socket = fmt.Sprintf("TCPAddr %s\nTCPSocket %d\n", address.IP, address.Port)
	} else {
		path := filepath.Join(dir, "clamd.ctl")
		s.Address = "unix:" + path
		socket = "LocalSocket " + path + "\nFixStaleSocket yes\n"
	}
	s.config = write("clamd.conf", "Foreground yes\nDatabaseDirectory "+dir+"\nTemporaryDirectory "+dir+"\n"+socket+options.Settings+"\n")
	s.Start()
	t.Cleanup(s.Kill)
	return s
}

// freeAddress returns a loopback address at which nothing listened a moment ago.
func freeAddress(t testing.TB) *net.TCPAddr {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr)
}

// Start starts clamd again at the same address, after [Server.Kill].
func (s *Server) Start() {
	s.t.Helper()
	cmd := exec.Command(s.program, "--config-file", s.config)
	log, err := cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	// A clamd that never gets ready must fail the test, not block it.
	late := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
	defer late.Stop()
	var output strings.Builder
	lines := bufio.NewReader(log)
	for {
		line, err := lines.ReadString('\n')
		output.WriteString(line)
		if err != nil {
			cmd.Wait()
			s.t.Fatalf("clamd did not start: %v\n%s", err, &output)
		}
		// Written after clamd listens, by the loop that accepts connections.
		if strings.HasPrefix(line, "Self checking") {
			break
		}
	}
	s.cmd, s.drained = cmd, make(chan struct{})
	go func(drained chan struct{}) {
		defer close(drained)
		io.Copy(io.Discard, lines)
	}(s.drained)
}

// Kill ends clamd at once. It does nothing if clamd has ended.
func (s *Server) Kill() {
	if s.cmd == nil {
		return
	}
	s.cmd.Process.Kill()
	<-s.drained
	s.cmd.Wait()
	s.cmd = nil
}
