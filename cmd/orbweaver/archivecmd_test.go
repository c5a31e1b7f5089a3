package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
)

const archiveKey = "k3y:s3cret"

// saver is an archive that makes copies on request, at /save, and the site whose links are checked,
// at other hosts.
type saver struct {
	*httptest.Server
	t   *testing.T
	dir string // of the process
	now string // the time of copies

	mu    sync.Mutex
	posts []string // URLs that were submitted
	asked []string // jobs that were asked for
	wrong []string // what a request should not have been
	// answer answers the n-th submission, from 1; job the n-th question about a job. nil for success.
	answer, job func(w http.ResponseWriter, about string, n int) bool
}

func newSaver(t *testing.T) *saver {
	s := &saver{t: t, dir: t.TempDir(), now: time.Now().UTC().Format("20060102150405")}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *saver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.HasPrefix(r.URL.Path, "/save") {
		if r.Method != http.MethodGet && r.Method != http.MethodHead || r.Host != "site.org" && strings.Contains(fmt.Sprint(r.Header), "s3cret") {
			s.complain(r.Method + " " + r.Host + r.URL.Path)
		}
		w.Header().Set("Content-Type", "text/html")
		switch r.Host {
		case "site.org":
			fmt.Fprint(w, `<a href="http://there.org/b?x=1&amp;y=2#part">b</a><a href="http://there.org/a">a</a><a href="http://there.org/a#again">a</a><a href=/in>in</a>
				<a href="http://gone.org/">gone</a><a href="http://me:pw@there.org/private">p</a><a href="http://intranet/">i</a>`)
		case "gone.org":
			w.WriteHeader(http.StatusNotFound)
		default:
			fmt.Fprint(w, `<p id=part><p id=again>`)
		}
		return
	}
	s.save(w, r)
}

func (s *saver) complain(of string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wrong = append(s.wrong, of)
}

func (s *saver) save(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Accept") != "application/json" || r.Header.Get("X-Mine") != "" || r.Header.Get("Cookie") != "" || r.Header.Get("Referer") != "" {
		s.complain(fmt.Sprint(r.Header))
	}
	if got := r.Header.Get("Authorization"); got != "" && got != "LOW "+archiveKey {
		s.complain("Authorization: " + got)
	}
	if id, ok := strings.CutPrefix(r.URL.Path, "/save/status/"); ok {
		about, _ := url.PathUnescape(strings.TrimPrefix(id, "job-"))
		s.mu.Lock()
		s.asked = append(s.asked, about)
		n, answer := len(s.asked), s.job
		s.mu.Unlock()
		if answer == nil || !answer(w, about, n) {
			fmt.Fprintf(w, `{"status":"success","timestamp":%q,"original_url":"http://there.org/%s"}`, s.now, about)
		}
		return
	}
	about := r.FormValue("url")
	log, _ := os.ReadFile(filepath.Join(s.dir, "orbweaver-archived.jsonl"))
	if r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/x-www-form-urlencoded" || len(r.PostForm) != 1 || !bytes.Contains(log, []byte(`{"url":`+quoted(about)+`,"state":"submitted"`)) {
		s.complain(fmt.Sprint(r.Method, r.PostForm, "with the log", string(log)))
	}
	s.mu.Lock()
	s.posts = append(s.posts, about)
	n, answer := len(s.posts), s.answer
	s.mu.Unlock()
	if answer == nil || !answer(w, about, n) {
		fmt.Fprintf(w, `{"url":%s,"job_id":"job-%s"}`, quoted(about), about[len("http://there.org/"):][:1])
	}
}

func quoted(s string) string { return `"` + strings.ReplaceAll(s, "&", `\u0026`) + `"` }

// command returns the command that checks the site and submits its links.
func (s *saver) command(more ...string) *exec.Cmd {
	program, err := exec.LookPath("orbweaver")
	if err != nil {
		s.t.Fatal(err)
	}
	args := []string{"archive", "http://site.org/", "--no-config", "--retries", "0", "--archive-api", s.URL + "/save", "--header", "X-Mine: s3cret"}
	for _, host := range []string{"site.org", "there.org", "gone.org", "intranet"} {
		args = append(args, "--connect-to", host+":80:"+s.Listener.Addr().String())
	}
	cmd := exec.Command(program, append(args, more...)...)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), archiveKeyVariable+"="+archiveKey)
	return cmd
}

// run runs the command, and returns what it prints.
func (s *saver) run(code int, more ...string) (stdout, stderr string) {
	s.t.Helper()
	return s.finish(s.command(more...), code)
}

func (s *saver) finish(cmd *exec.Cmd, code int) (stdout, stderr string) {
	s.t.Helper()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	got := 0
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		got = exit.ExitCode()
	} else if err != nil {
		s.t.Fatal(err)
	}
	if got != code {
		s.t.Errorf("exit status %d, want %d:\n%s%s", got, code, &out, &errs)
	}
	if _, _, wrong := s.sent(); len(wrong) > 0 {
		s.t.Errorf("wrong requests: %q", wrong)
	}
	log, _ := os.ReadFile(filepath.Join(s.dir, "orbweaver-archived.jsonl"))
	if strings.Contains(out.String()+errs.String()+string(log), "s3cret") {
		s.t.Errorf("a secret was printed:\n%s%s%s", &out, &errs, log)
	}
	return out.String(), errs.String()
}

// sent returns what was requested so far.
func (s *saver) sent() (posts, asked, wrong []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.posts), slices.Clone(s.asked), slices.Clone(s.wrong)
}

// answers decides how the archive answers from now on.
func (s *saver) answers(submission, question func(w http.ResponseWriter, about string, n int) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked, s.answer, s.job = nil, submission, question
}

func (s *saver) wantPosts(want ...string) {
	s.t.Helper()
	if posts, _, _ := s.sent(); !slices.Equal(posts, want) {
		s.t.Errorf("submitted %q, want %q", posts, want)
	}
}

const (
	pageA = "http://there.org/a"
	pageB = "http://there.org/b?x=1&y=2"
)

// The external targets that are ok are submitted, each once, and nothing of the user is sent with
// them. A later run submits nothing again.
func TestArchiveCommand(t *testing.T) {
	s := newSaver(t)
	cookies := filepath.Join(s.dir, "cookies.txt")
	if err := os.WriteFile(cookies, []byte("# Netscape HTTP Cookie File\n127.0.0.1\tFALSE\t/\tFALSE\t0\tsid\ts3cret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, _ := s.run(0, "--dry-run"); out != pageA+"\n"+pageB+"\n" {
		t.Errorf("a dry run prints %q", out)
	}
	if _, err := os.Stat(filepath.Join(s.dir, "orbweaver-archived.jsonl")); err == nil {
		t.Error("a dry run has made a log")
	}
	s.wantPosts()
	s.answers(nil, func(w http.ResponseWriter, _ string, n int) bool {
		if n == 1 {
			fmt.Fprint(w, `{"status":"pending"}`)
		}
		return n == 1
	})
	out, stderr := s.run(0, "--cookies", cookies, "--user", "me:s3cret")
	copyOf := func(of string) string { return s.URL + "/web/" + s.now + "/http://there.org/" + of }
	lines := strings.Split(strings.TrimSpace(out), "\n")
	slices.Sort(lines)
	if want := []string{"archived\t" + pageA + "\t" + copyOf("a"), "archived\t" + pageB + "\t" + copyOf("b")}; !slices.Equal(lines, want) {
		t.Errorf("printed %q, want %q", lines, want)
	}
	if !strings.Contains(stderr, "gone.org") || !strings.Contains(stderr, "\n1 broken") {
		t.Errorf("the report is not on standard error: %s", stderr)
	}
	s.wantPosts(pageA, pageB)
	s.run(0)
	s.wantPosts(pageA, pageB)
	if out, _ := s.run(0, "--dry-run"); out != "" {
		t.Errorf("a dry run prints %q, all of which is archived", out)
	}
	s.run(0, "--archive-within", "0s", "--archive-max", "1")
	s.wantPosts(pageA, pageB, pageA)
}

// Only the origin of the service gets the key, and no redirect is followed. What is no answer of such a
// service ends the run with 3, and what it refuses with 1.
func TestArchiveCommandRefused(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("%s %s", r.Method, r.URL) }))
	t.Cleanup(elsewhere.Close)
	for _, row := range []struct {
		name   string
		code   int
		posts  int
		want   string // in what is printed
		answer func(w http.ResponseWriter, about string, n int) bool
	}{
		{"another host", 3, 2, "redirects are not followed", func(w http.ResponseWriter, _ string, _ int) bool {
			w.Header().Set("Location", elsewhere.URL+"/save")
			w.WriteHeader(http.StatusTemporaryRedirect)
			return true
		}},
		{"HTML", 3, 2, "not the JSON of such a service", func(w http.ResponseWriter, _ string, _ int) bool {
			fmt.Fprint(w, "<!doctype html><title>Save Page Now</title>")
			return true
		}},
		{"12 MB", 3, 2, "longer than 1 MiB", func(w http.ResponseWriter, _ string, _ int) bool {
			fmt.Fprintf(w, `{"job_id":%q}`, strings.Repeat("x", 12<<20))
			return true
		}},
		{"a job that is a path", 3, 2, "names no job", func(w http.ResponseWriter, _ string, _ int) bool {
			fmt.Fprint(w, `{"job_id":"../../steal"}`)
			return true
		}},
		{"busy for ever", 3, 2, "it is busy: its answer has the status 429", func(w http.ResponseWriter, _ string, _ int) bool {
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(http.StatusTooManyRequests)
			return true
		}},
		{"one error", 1, 2, "failed\t" + pageA + "\tblocked by ***\n", func(w http.ResponseWriter, about string, _ int) bool {
			if about == pageA {
				fmt.Fprint(w, `{"status":"error","message":"blocked\tby s3cret \u0000"}`)
			}
			return about == pageA
		}},
		{"nobody is there", 3, 2, "its answer has the status 503", func(w http.ResponseWriter, _ string, _ int) bool {
			w.WriteHeader(http.StatusServiceUnavailable)
			return true
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newSaver(t)
			s.answers(row.answer, nil)
			out, stderr := s.run(row.code)
			if row.name == "busy for ever" {
				row.posts = 1 // the wait is longer than --max-wait
			}
			posts, _, _ := s.sent()
			if len(posts) != row.posts || !strings.Contains(out+stderr, row.want) {
				t.Errorf("submitted %q; printed\n%s%s", posts, out, stderr)
			}
			if n := strings.Count(out, "\n"); n != 2 {
				t.Errorf("%d lines for 2 URLs:\n%s", n, out)
			}
			s.answers(nil, nil) // what has failed is tried again
			before := len(posts)
			s.run(0)
			if posts, _, _ = s.sent(); !slices.Contains(posts[before:], pageA) {
				t.Errorf("submitted %q, then %q", posts[:before], posts[before:])
			}
		})
	}
}

// A busy service is asked again.
func TestArchiveCommandBusy(t *testing.T) {
	for name, say := range map[string]func(http.ResponseWriter){
		"429": func(w http.ResponseWriter) { w.WriteHeader(http.StatusTooManyRequests) },
		"sessions": func(w http.ResponseWriter) {
			fmt.Fprint(w, `{"message":"You have already reached the limit of active sessions."}`)
		},
		"status_ext": func(w http.ResponseWriter) {
			w.WriteHeader(http.StatusTooManyRequests)
			fmt.Fprint(w, `{"status":"error","status_ext":"error:user-session-limit"}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSaver(t)
			busy := func(w http.ResponseWriter, _ string, n int) bool {
				if n == 1 || n == 3 {
					w.Header().Set("Retry-After", "0")
					say(w)
					return true
				}
				return false
			}
			s.answers(busy, func(w http.ResponseWriter, about string, n int) bool {
				if name != "429" {
					return false
				}
				return busy(w, about, n)
			})
			s.run(0)
			s.wantPosts(pageA, pageA, pageB, pageB)
		})
	}
}

// A job that does not end within --archive-wait is pending, however short that is; the next run asks
// for it, and does not submit it again.
func TestArchiveCommandPending(t *testing.T) {
	s := newSaver(t)
	s.answers(nil, func(w http.ResponseWriter, _ string, _ int) bool {
		fmt.Fprint(w, `{"status":"pending"}`)
		return true
	})
	began := time.Now()
	out, _ := s.run(0, "--archive-wait", "30ms")
	if strings.Count(out, "pending\t") != 2 || strings.Count(out, "\n") != 2 {
		t.Errorf("printed %q", out)
	}
	if took := time.Since(began); took > time.Minute {
		t.Errorf("it took %v", took)
	}
	s.answers(nil, nil)
	if out, _ = s.run(0); strings.Count(out, "archived\t") != 2 {
		t.Errorf("printed %q", out)
	}
	s.wantPosts(pageA, pageB)
	if _, asked, _ := s.sent(); !slices.Equal(asked, []string{"a", "b"}) {
		t.Errorf("asked for the jobs %q", asked)
	}
}

// A kill while a submission is in flight repeats it alone. A line that is cut is dropped.
func TestArchiveCommandKilled(t *testing.T) {
	s := newSaver(t)
	inFlight, release := make(chan bool), make(chan bool)
	s.answers(func(_ http.ResponseWriter, about string, n int) bool {
		if n == 2 {
			inFlight <- true
			<-release
		}
		return false
	}, nil)
	cmd := s.command()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-inFlight
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	close(release)
	s.answers(nil, nil)
	log := filepath.Join(s.dir, "orbweaver-archived.jsonl")
	text, err := os.ReadFile(log)
	if err != nil || !strings.Contains(string(text), `{"url":`+quoted(pageB)+`,"state":"submitted","time"`) {
		t.Fatalf("%v: the log is\n%s", err, text)
	}
	if err := os.WriteFile(log, append(text, `{"url":"http://there.org/c","sta`...), 0o600); err != nil {
		t.Fatal(err)
	}
	_, stderr := s.run(0)
	if !strings.Contains(stderr, "orbweaver-archived.jsonl: line ") || !strings.Contains(stderr, " is cut, and left out") {
		t.Errorf("no note about the line that is cut: %s", stderr)
	}
	s.wantPosts(pageA, pageB, pageB)
	if text, _ = os.ReadFile(log); strings.Contains(string(text), "there.org/c") || !bytes.HasSuffix(text, []byte("\n")) {
		t.Errorf("the log is\n%s", text)
	}
}

// Wrong usage is told before anything is requested.
func TestArchiveCommandUsage(t *testing.T) {
	s := newSaver(t)
	key := filepath.Join(s.dir, "key")
	if err := os.WriteFile(key, []byte(archiveKey+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.dir, "other"), []byte("mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, row := range [][]string{
		{"--archive-key-file: read nosuch", "--archive-key-file", "nosuch"},
		{"--archive-key-file: use KEY:SECRET", "--archive-key-file", "other"},
		{"--archived: read other: line 1 is not a line of this log", "--archived", "other"},
		{"--archive-api: ", "--archive-api", "ftp://x.org/"},
		{"--format: ", "--format", "json"},
		{"--archive-api: it names the service that makes copies", "--archive", "wayback"},
		{"unknown flag --state", "--state", "x"},
		{"--archive-max: ", "--archive-max", "0"},
	} {
		if _, stderr := s.run(2, row[1:]...); !strings.Contains(stderr, row[0]) {
			t.Errorf("%q: %s", row, stderr)
		}
	}
	if runtime.GOOS != "windows" {
		os.Chmod(key, 0o640)
		if _, stderr := s.run(2, "--archive-key-file", key); !strings.Contains(stderr, "others can read it") {
			t.Errorf("a key that others can read: %s", stderr)
		}
		os.Chmod(key, 0o600)
	}
	s.wantPosts()
	cmd := s.command("--archive-key-file", key)
	cmd.Env = slices.DeleteFunc(cmd.Env, func(v string) bool { return strings.HasPrefix(v, archiveKeyVariable) })
	s.finish(cmd, 0)
	s.wantPosts(pageA, pageB)
}

// A client certificate is for the start targets, and not for the service.
func TestArchiveCommandSendsNoCertificate(t *testing.T) {
	s := newSaver(t)
	root := crawlertest.NewAuthority(t, "root")
	secure := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(r.TLS.PeerCertificates) > 0 {
			t.Errorf("%s %s was sent with a client certificate", r.Method, r.URL)
		}
		s.save(w, r)
	}))
	secure.TLS = &tls.Config{Certificates: []tls.Certificate{root.Leaf(t, "localhost").Chain()}, ClientAuth: tls.RequestClientCert}
	secure.StartTLS()
	t.Cleanup(secure.Close)
	port := secure.URL[strings.LastIndex(secure.URL, ":"):]
	mine := root.Leaf(t, "me").Chain()
	private, err := x509.MarshalPKCS8PrivateKey(mine.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	cert := filepath.Join(s.dir, "cert.pem")
	both := append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: mine.Certificate[0]}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})...)
	if err := os.WriteFile(cert, both, 0o600); err != nil {
		t.Fatal(err)
	}
	s.run(0, "--archive-api", "https://localhost"+port+"/save", "--ca-file", root.File(t), "--client-cert", cert)
	s.wantPosts(pageA, pageB)
}
