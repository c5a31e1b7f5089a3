package clamd

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
	"github.com/orbweaver/orbweaver/crawler/internal/clamdtest"
)

// patience is a time limit that no working clamd reaches.
const patience = time.Minute

// open returns a scanner for a clamd that works. It does not wait between tries.
func open(t testing.TB, address string) *Scanner {
	t.Helper()
	at, err := ParseAddress(address)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), at, patience)
	if err != nil {
		t.Fatal(err)
	}
	s.service.Wait = func(context.Context, time.Duration) {}
	return s
}

// openFake is open for a clamd that answers INSTREAM with a function, which gets the
// connection after the command.
func openFake(t *testing.T, instream func(conn *net.TCPConn)) *Scanner {
	t.Helper()
	at := crawlertest.ServeConns(t, func(conn *net.TCPConn, _ int) {
		var command []byte
		for b := make([]byte, 1); len(command) == 0 || command[len(command)-1] != 0; command = append(command, b[0]) {
			if _, err := io.ReadFull(conn, b); err != nil {
				return
			}
		}
		switch string(command) {
		case "zPING\x00":
			io.WriteString(conn, "PONG\x00")
		case "zVERSION\x00":
			io.WriteString(conn, "ClamAV 1.4.6\x00")
		case "zINSTREAM\x00":
			instream(conn)
		}
	})
	return open(t, "tcp:"+at.String())
}

// instream returns a function for openFake that receives all of a body of length bytes in
// one chunk and then writes the answer.
func instream(length int64, answer string) func(*net.TCPConn) {
	return func(conn *net.TCPConn) {
		io.CopyN(io.Discard, conn, 4+length+4)
		io.WriteString(conn, answer)
	}
}

func found(signature string) Result { return Result{Outcome: Found, Signature: signature} }

var clean = Result{Outcome: Clean}

func compressed(t testing.TB, s string) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	io.WriteString(w, s)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestScan(t *testing.T) {
	const limited = "clamd answered: INSTREAM size limit exceeded."
	for _, tcp := range []bool{false, true} {
		t.Run(fmt.Sprintf("tcp=%t", tcp), func(t *testing.T) {
			server := clamdtest.Start(t, clamdtest.Options{TCP: tcp, Settings: "StreamMaxLength 2M"})
			s := open(t, server.Address)
			if !strings.HasPrefix(s.Version(), "ClamAV ") {
				t.Errorf("version %q", s.Version())
			}
			if note := s.Note(time.Now()); note != "" {
				t.Errorf("note on a database without a date: %s", note)
			}
			pattern := []byte(clamdtest.Pattern)
			across := append(make([]byte, chunkLength-5), pattern...)
			for _, row := range []struct {
				name string
				body []byte
				want Result
			}{
				{"empty", nil, clean},
				{"clean", []byte("<p>Hello"), clean},
				{"signature", append([]byte("x "), pattern...), found(clamdtest.PatternSignature)},
				{"EICAR", []byte(clamdtest.EICAR), found(clamdtest.EICARSignature)},
				{"compressed", compressed(t, "x "+clamdtest.Pattern), found(clamdtest.PatternSignature)},
				{"across two chunks", across, found(clamdtest.PatternSignature)},
				{"as long as allowed", make([]byte, 2<<20), clean},
				{"one byte too long", make([]byte, 2<<20+1), unscanned(limited)},
				{"far too long", make([]byte, 16<<20), unscanned(limited)},
				{"clean after that", []byte("<p>Hello"), clean},
			} {
				if got := s.Scan(t.Context(), row.body); got != row.want {
					t.Errorf("%s: %+v, want %+v", row.name, got, row.want)
				}
			}
			if err := s.Lost(); err != nil {
				t.Error(err)
			}
		})
	}
}

// A body that clamd does not scan to its end is not infected, and not clean.
func TestLimitsOfClamd(t *testing.T) {
	for _, limit := range []string{"MaxFileSize", "MaxScanSize"} {
		s := open(t, clamdtest.Start(t, clamdtest.Options{Settings: limit + " 1M\nAlertExceedsMax yes"}).Address)
		random := make([]byte, 2<<20)
		rand.NewChaCha8([32]byte{}).Read(random)
		want := unscanned("clamd did not scan all of the body: Heuristics.Limits.Exceeded." + limit)
		if got := s.Scan(t.Context(), random); got != want {
			t.Errorf("%s: %+v", limit, got)
		}
	}
}

// An answer that comes while the body is still being sent must be read each time, however
// the write and the end of the connection meet.
func TestRefusalIsAlwaysRead(t *testing.T) {
	for _, tcp := range []bool{false, true} {
		s := open(t, clamdtest.Start(t, clamdtest.Options{TCP: tcp, Settings: "StreamMaxLength 1M"}).Address)
		body := make([]byte, 3<<20)
		for range 50 {
			if got := s.Scan(t.Context(), body); !strings.Contains(got.Reason, "size limit exceeded") {
				t.Fatalf("tcp=%t: %+v", tcp, got)
			}
		}
	}
}

func TestScanInParallel(t *testing.T) {
	s := open(t, clamdtest.Start(t, clamdtest.Options{}).Address)
	eachOf(1000, func(i int) {
		body, want := numbered(i)
		if got := s.Scan(t.Context(), body); got != want {
			t.Errorf("body %d: %+v, want %+v", i, got, want)
		}
	})
}

// eachOf calls do for 0 to n-1 with four workers.
func eachOf(n int, do func(i int)) {
	var next atomic.Int64
	done := make(chan bool)
	for range 4 {
		go func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
			done <- true
		}()
	}
	for range 4 {
		<-done
	}
}

// numbered returns a body that differs from all others, and what a scan must find. Every
// third one is infected.
func numbered(i int) (body []byte, want Result) {
	body = fmt.Appendf(nil, "%d %s", i, strings.Repeat("some text ", i%1000))
	if i%3 > 0 {
		return body, clean
	}
	return append(body, clamdtest.Pattern...), found(clamdtest.PatternSignature)
}

func TestKilledClamdIsLost(t *testing.T) {
	server := clamdtest.Start(t, clamdtest.Options{})
	s := open(t, server.Address)
	var killed atomic.Bool
	var scanned atomic.Int64
	eachOf(600, func(i int) {
		body, want := numbered(i)
		if i == 300 {
			server.Kill()
			killed.Store(true)
		}
		after := killed.Load()
		switch got := s.Scan(t.Context(), body); {
		case got.Outcome == Unscanned:
			if !strings.Contains(got.Reason, "was lost: ") {
				t.Errorf("body %d: %s", i, got.Reason)
			}
		case after || got != want:
			t.Errorf("body %d, clamd killed: %t: %+v, want %+v", i, after, got, want)
		default:
			scanned.Add(1)
		}
	})
	// Each of the other three workers was scanning at most one body of the first 300.
	if scanned.Load() < 297 || s.Lost() == nil {
		t.Errorf("%d scanned, lost: %v", scanned.Load(), s.Lost())
	}
	server.Start()
	if got := s.Scan(t.Context(), nil); got.Outcome != Unscanned {
		t.Errorf("a lost clamd came back: %+v", got)
	}
}

func TestRestartBetweenTries(t *testing.T) {
	for _, tcp := range []bool{false, true} {
		server := clamdtest.Start(t, clamdtest.Options{TCP: tcp})
		s := open(t, server.Address)
		var waits []time.Duration
		s.service.Wait = func(_ context.Context, pause time.Duration) {
			if waits = append(waits, pause); len(waits) == 2 {
				server.Start()
			}
		}
		server.Kill()
		if got := s.Scan(t.Context(), []byte(clamdtest.EICAR)); got != found(clamdtest.EICARSignature) {
			t.Errorf("tcp=%t: %+v", tcp, got)
		}
		if len(waits) != 2 || s.Lost() != nil {
			t.Errorf("tcp=%t: waits %v, lost: %v", tcp, waits, s.Lost())
		}
	}
}

// A canceled run ends an exchange at once, and does not count it as a failure of clamd, even
// in the last try.
func TestCancelDuringExchange(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var exchanges atomic.Int64
	s := openFake(t, func(conn *net.TCPConn) {
		if exchanges.Add(1) == 3 {
			cancel()
			io.Copy(io.Discard, conn) // until the client closes
		}
	})
	for range 2 {
		if got := s.Scan(ctx, []byte("body")); got != unscanned("the run was stopped") {
			t.Errorf("%+v", got)
		}
	}
	if exchanges.Load() != 3 || s.Lost() != nil {
		t.Errorf("%d exchanges, lost: %v", exchanges.Load(), s.Lost())
	}
}

// A canceled run does not wait for other scans either.
func TestCancelWhileOthersScan(t *testing.T) {
	s := openFake(t, nil)
	for range maxConnections {
		s.service.Enter(t.Context())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := s.Scan(ctx, nil); got != unscanned("the run was stopped") {
		t.Errorf("%+v", got)
	}
}

func TestConnectionsAreLimited(t *testing.T) {
	var open, most atomic.Int64
	s := openFake(t, func(conn *net.TCPConn) {
		n := open.Add(1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		io.CopyN(io.Discard, conn, 4)
		open.Add(-1)
		io.WriteString(conn, "stream: OK\x00")
	})
	done := make(chan Result)
	for range 40 {
		go func() { done <- s.Scan(t.Context(), nil) }()
	}
	for range 40 {
		if got := <-done; got != clean {
			t.Errorf("%+v", got)
		}
	}
	if most.Load() > maxConnections {
		t.Errorf("%d connections at once", most.Load())
	}
}

// No answer that is cut off, or that comes before the end of the body, makes it clean.
func TestBrokenAnswers(t *testing.T) {
	for _, row := range []struct {
		name     string
		instream func(conn *net.TCPConn)
		body     int
		want     string // part of the reason
		lost     bool
	}{
		{"closed", instream(1, ""), 1, "closed without an answer", true},
		{"cut off", instream(1, "stream: OK"), 1, `ended early: "stream: OK"`, true},
		{"endless", instream(1, strings.Repeat("x", 2*maxAnswer)), 1, "longer than 4096 bytes", true},
		{"before the body", func(conn *net.TCPConn) { io.WriteString(conn, "stream: OK\x00") }, 64 << 20, "was lost", true},
		{"of something else", instream(1, "HTTP/1.1 400\x00"), 1, "not an answer to INSTREAM", false},
		{"an error", instream(1, "stream: Can't allocate memory ERROR\x00"), 1, "clamd answered: Can't allocate memory", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			var exchanges atomic.Int64
			s := openFake(t, func(conn *net.TCPConn) {
				exchanges.Add(1)
				row.instream(conn)
			})
			got := s.Scan(t.Context(), make([]byte, row.body))
			if got.Outcome != Unscanned || !strings.Contains(got.Reason, row.want) {
				t.Errorf("%+v, want unscanned with %q", got, row.want)
			}
			if lost := s.Lost() != nil; lost != row.lost {
				t.Errorf("lost: %v", s.Lost())
			}
			if n := exchanges.Load(); row.lost && n != 3 || !row.lost && n != 1 {
				t.Errorf("%d exchanges", n)
			}
		})
	}
}

func TestOpenFails(t *testing.T) {
	answers := func(pong, version string) string {
		return "tcp:" + crawlertest.ServeConns(t, func(conn *net.TCPConn, nth int) {
			io.WriteString(conn, []string{pong, version}[nth])
			io.Copy(io.Discard, conn) // until the client closes
		}).String()
	}
	closed := clamdtest.Start(t, clamdtest.Options{})
	closed.Kill()
	for _, row := range []struct{ address, want string }{
		{"unix:" + t.TempDir() + "/none", "no such file"},
		{closed.Address, "connection refused"},
		{answers("HTTP/1.1 400 Bad Request\r\n\x00", ""), `answered PING with "HTTP/1.1 400 Bad Request\r\n", expected PONG`},
		{answers("PONG\x00", "\x00"), `answered VERSION with ""`},
		{answers("PONG\x00", "Clam\x1bAV\x00"), `answered VERSION with "Clam\x1bAV"`},
	} {
		at, err := ParseAddress(row.address)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Open(t.Context(), at, patience)
		if err == nil || !strings.Contains(err.Error(), row.want) || !strings.Contains(err.Error(), row.address) {
			t.Errorf("%s: %v, want %q", row.address, err, row.want)
		}
	}
}

func BenchmarkScan(b *testing.B) {
	body := make([]byte, 50_000)
	random := rand.NewChaCha8([32]byte{})
	for _, tcp := range []bool{false, true} {
		b.Run(fmt.Sprintf("tcp=%t", tcp), func(b *testing.B) {
			s := open(b, clamdtest.Start(b, clamdtest.Options{TCP: tcp}).Address)
			b.ReportAllocs()
			for b.Loop() {
				random.Read(body[:32]) // clamd remembers clean bodies
				if got := s.Scan(b.Context(), body); got != clean {
					b.Fatalf("%+v", got)
				}
			}
		})
	}
}
