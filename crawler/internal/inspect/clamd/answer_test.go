package clamd

import (
	"strings"
	"testing"
	"time"
)

func TestParseAddress(t *testing.T) {
	for _, row := range []struct {
		address       string
		network, dial string
	}{
		{DefaultAddress, "unix", "/run/clamav/clamd.ctl"},
		{"unix:clamd.ctl", "unix", "clamd.ctl"},
		{"tcp:127.0.0.1:3310", "tcp", "127.0.0.1:3310"},
		{"tcp:[::1]:3310", "tcp", "[::1]:3310"},
		{"tcp:clamav.example:3310", "tcp", "clamav.example:3310"},
	} {
		at, err := ParseAddress(row.address)
		if err != nil || at != (Address{row.network, row.dial}) || at.String() != row.address {
			t.Errorf("%s: %+v, %v", row.address, at, err)
		}
	}
	for _, wrong := range []string{
		"", "unix", "unix:", "unix:a\x00b", "/run/clamav/clamd.ctl", "localhost:3310", "udp:localhost:3310", "TCP:localhost:3310",
		"tcp:", "tcp:localhost", "tcp::3310", "tcp:localhost:", "tcp:localhost:0", "tcp:localhost:65536", "tcp:localhost:clamd", "tcp:::1:3310",
	} {
		if at, err := ParseAddress(wrong); err == nil || !strings.Contains(err.Error(), "use unix:PATH or tcp:HOST:PORT") {
			t.Errorf("%q: %v, %v", wrong, at, err)
		}
	}
}

func TestParseAnswer(t *testing.T) {
	for _, row := range []struct {
		answer string
		want   Result
	}{
		{"stream: OK", clean},
		{"stream: Eicar-Test-Signature FOUND", found("Eicar-Test-Signature")},
		// with ExtendedDetectionInfo
		{"stream: Eicar-Test-Signature(44d88612fea8a8f36de82e1278abb02f:68) FOUND", found("Eicar-Test-Signature(44d88612fea8a8f36de82e1278abb02f:68)")},
		{"stream: Heuristics.Encrypted.Zip FOUND", found("Heuristics.Encrypted.Zip")},
		{"stream: Heuristics.Limits.Exceeded FOUND", unscanned("clamd did not scan all of the body: Heuristics.Limits.Exceeded")},
		{"INSTREAM size limit exceeded. ERROR", unscanned("clamd answered: INSTREAM size limit exceeded.")},
		{"stream: Can't create new file ERROR", unscanned("clamd answered: Can't create new file")},
		{"", unscanned(`clamd answered "", which is not an answer to INSTREAM`)},
		{"OK", unscanned(`clamd answered "OK", which is not an answer to INSTREAM`)},
		{"stream: ok", unscanned(`clamd answered "stream: ok", which is not an answer to INSTREAM`)},
		{"stream: OK\nstream: OK", unscanned(`clamd answered "stream: OK\nstream: OK", which is not an answer to INSTREAM`)},
		// An odd name makes a body no cleaner.
		{"stream:  FOUND", found(`a signature with an unusual name (clamd answered "stream:  FOUND")`)},
		{"stream: FOUND", found(`a signature with an unusual name (clamd answered "stream: FOUND")`)},
		{"stream: \x1b[2J FOUND", found(`a signature with an unusual name (clamd answered "stream: \x1b[2J FOUND")`)},
		{"stream: A FOUND\nstream: B FOUND", found(`a signature with an unusual name (clamd answered "stream: A FOUND\nstream: B FOUND")`)},
		{"fd[10]: Eicar FOUND ", found(`a signature with an unusual name (clamd answered "fd[10]: Eicar FOUND ")`)},
		{"stream: File NOT FOUND ERROR", unscanned("clamd answered: File NOT FOUND")},
		{"stream: \x1b FOUND ERROR", unscanned(`clamd answered "stream: \x1b FOUND ERROR", which is not an answer to INSTREAM`)},
		{"stream: NOTFOUND", unscanned(`clamd answered "stream: NOTFOUND", which is not an answer to INSTREAM`)},
		{"UNKNOWN COMMAND", unscanned(`clamd answered "UNKNOWN COMMAND", which is not an answer to INSTREAM`)},
	} {
		if got := parseAnswer(row.answer); got != row.want {
			t.Errorf("%q: %+v, want %+v", row.answer, got, row.want)
		}
	}
}

// Whatever is answered, only clamd's own words make a body clean, and everything in a result
// can be printed.
func FuzzParseAnswer(f *testing.F) {
	for _, answer := range []string{
		"stream: OK", "stream: A.B-1.UNOFFICIAL FOUND", "INSTREAM size limit exceeded. ERROR", "stream: Can't open ERROR",
		"", "stream: ", " FOUND", "stream: FOUND", " ERROR", "stream: \xff FOUND", "stream: a\u202eb FOUND", "UNKNOWN COMMAND\n",
	} {
		f.Add(answer)
	}
	f.Fuzz(func(t *testing.T, answer string) {
		got := parseAnswer(answer)
		if (got.Outcome == Clean) != (answer == "stream: OK") {
			t.Errorf("%q: %+v", answer, got)
		}
		if (got.Outcome == Found) != (got.Signature != "") || (got.Outcome == Unscanned) != (got.Reason != "") {
			t.Errorf("%q: %+v", answer, got)
		}
		if !isPrintable(got.Signature) || !isPrintable(got.Reason) {
			t.Errorf("%q: not printable: %+v", answer, got)
		}
	})
}

func TestNote(t *testing.T) {
	now := time.Date(2026, 11, 23, 8, 0, 0, 0, time.Local)
	for _, row := range []struct{ version, want string }{
		{"ClamAV 1.4.6", ""},
		{"ClamAV 1.4.6/27500/Mon Nov 16 08:00:00 2026", ""},
		{"ClamAV 1.4.6/27500/Tue Nov 24 08:00:00 2026", ""},
		{"ClamAV 1.4.6/27500/Mon Nov 16 07:59:59 2026", "clamd's virus database is 7 days old (2026-11-16); update it with freshclam"},
		{"ClamAV 1.4.6/27100/Sun Nov  1 07:00:00 2026", "clamd's virus database is 22 days old (2026-11-01); update it with freshclam"},
		{"ClamAV 1.4.6/27100/", ""},
		{"ClamAV 1.4.6/27100/yesterday", ""},
	} {
		if got := (&Scanner{version: row.version}).Note(now); got != row.want {
			t.Errorf("%s: %q, want %q", row.version, got, row.want)
		}
	}
}

func TestTooLong(t *testing.T) {
	for limit, want := range map[int64]string{
		25 << 20:   "the body is longer than 25 MiB",
		25_000_000: "the body is longer than 25000000 bytes",
	} {
		if got := TooLong(limit); got != want {
			t.Errorf("%d: %s, want %s", limit, got, want)
		}
	}
}
