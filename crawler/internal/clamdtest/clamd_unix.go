//go:build unix

package clamdtest

import "syscall"

// Stop halts clamd without ending it: it accepts connections and does not answer until
// [Server.Continue]. Stop returns when clamd has halted.
func (s *Server) Stop() {
	s.t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		s.t.Fatal(err)
	}
	var status syscall.WaitStatus
	_, err := syscall.Wait4(s.cmd.Process.Pid, &status, syscall.WUNTRACED, nil)
	for err == syscall.EINTR {
		_, err = syscall.Wait4(s.cmd.Process.Pid, &status, syscall.WUNTRACED, nil)
	}
	if err != nil || !status.Stopped() {
		s.t.Fatalf("clamd did not stop: %v, status %#x", err, status)
	}
}

// Continue resumes a clamd that [Server.Stop] has halted.
func (s *Server) Continue() {
	s.t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		s.t.Fatal(err)
	}
}
