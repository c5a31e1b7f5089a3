package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// runURI runs a uri command and returns its output and exit status.
func runURI(stdin string, args ...string) (stdout, stderr string, code int) {
	var out, errs bytes.Buffer
	cmd := &cobra.Command{Use: "orbweaver", SilenceErrors: true, SilenceUsage: true}
	cmd.AddCommand(newURICommand())
	cmd.SetArgs(append([]string{"uri"}, args...))
	cmd.SetIn(strings.NewReader(stdin))
	cmd.SetOut(&out)
	cmd.SetErr(&errs)
	err := cmd.Execute()
	var exit *exitError
	switch {
	case errors.As(err, &exit):
		code = exit.code
		if exit.err != nil {
			errs.WriteString(exit.err.Error())
		}
	case err != nil:
		code = exitUsage
		errs.WriteString(err.Error())
	}
	return out.String(), errs.String(), code
}

func TestURICommands(t *testing.T) {
	tests := []struct {
		args   string // separated by |
		stdout string
		stderr string // a substring
		code   int
	}{
		{args: "resolve|-b|http://a/b/c/d;p?q|../g|#s|", stdout: "http://a/b/g\nhttp://a/b/c/d;p?q#s\nhttp://a/b/c/d;p?q\n"},
		{args: "resolve|-b|http://a/b|http:g", stdout: "http:g\n"},
		{args: "resolve|-b|http://a/b|--compatible|http:g", stdout: "http://a/g\n"},
		{args: "resolve|--base=http://a/b|--|-x", stdout: "http://a/-x\n"},
		{args: "resolve|--profile|web|http:g", stdout: "http://g/\n"},
		{args: "resolve|--profile|web|-b|http://a/b/|http:g|x\\y z", stdout: "http://a/b/g\nhttp://a/b/x/y%20z\n"},
		{args: "resolve|--profile|web|--charset|windows-1252|http://a/?é", stdout: "http://a/?%E9\n"},
		{args: "resolve|--profile|web|--charset|nonsense|http://a/", stderr: "nonsense", code: 2},
		{args: "resolve|-b|http://a/|x y|z", stdout: "http://a/z\n", stderr: "path fails at byte 1", code: 2},
		{args: "resolve|-b|/a|b", stderr: "no scheme", code: 2},
		{args: "resolve|--profile|web|-b|/a|b", stderr: "/a", code: 2},
		{args: "resolve|b", stderr: "--base is required", code: 2},
		{args: "resolve|-b|http://a/", stderr: "name a reference", code: 2},
		{args: "resolve|-b|http://a/|--profile|xyz|b", stderr: `--profile: "xyz" is not allowed: use rfc or web`, code: 2},

		{args: "normalize|HTTP://EXAMPLE.com:80/%7ea/../b|urn:A1:b", stdout: "http://example.com/b\nurn:a1:b\n"},
		{args: "normalize|--profile|web|HTTP://EXAMPLE.com:80/%7ea/../b", stdout: "http://example.com/b\n"},
		{args: "normalize|--explain|http://EXAMPLE.com:80/", stdout: "RFC 3986 6.2.2.1  host in lower case: http://example.com:80/\n" +
			"RFC 3986 6.2.3  empty port, default port or leading zeros of the port removed: http://example.com/\nhttp://example.com/\n"},
		{args: "normalize|--explain|--profile|web|http:\\\\h", stdout: "URL Standard 4.4  backslashes replaced by slashes: http://h\nURL Standard 4.4  empty path replaced by \"/\": http://h/\nhttp://h/\n"},
		{args: "normalize|--explain|%", stderr: "pct-encoded", code: 2},
		{args: "normalize|--explain|--profile|web|%", stderr: "%", code: 2},
		{args: "normalize|%", stderr: "pct-encoded", code: 2},
		{args: "normalize", stderr: "name a URI", code: 2},
		{args: "normalize|--profile|x|y", stderr: "--profile", code: 2},

		{args: "compare|http://h|HTTP://H:80/", stdout: "equivalent\n", stderr: "comparison level: scheme, RFC 3986 6.2.3"},
		{args: "compare|--explain|http://h/%7E|http://h/~",
			stdout: "equivalent\ncomparison level: percent-encoding, RFC 3986 6.2.2.2\nhttp://h/~\nhttp://h/~\n"},
		{args: "compare|http://h/a|http://h/b", stdout: "different\n", code: 1},
		{args: "compare|--explain|http://h/a|http://h/b", stdout: "different\nhttp://h/a\nhttp://h/b\n", code: 1},
		{args: "compare|--profile|web|http://h\\a|http:h/b/../a", stdout: "equivalent\n", stderr: "comparison level: string"},
		{args: "compare|--profile|web|http://h/%7E|http://h/~", stdout: "equivalent\n", stderr: "percent-encoding"},
		{args: "compare|--profile|web|http://h/#a|http://h/#b", stdout: "different\n", code: 1},
		{args: "compare|--profile|web|http://u@h/|http://h/", stdout: "different\n", code: 1},
		{args: "compare|--profile|web|http://h/|x", stderr: "x", code: 2},
		{args: "compare|--profile|web|x|http://h/", stderr: "x", code: 2},
		{args: "compare|http://h/|%", stderr: "pct-encoded", code: 2},
		{args: "compare|%|http://h/", stderr: "pct-encoded", code: 2},
		{args: "compare|http://h/", stderr: "name two URIs", code: 2},
		{args: "compare|--profile|x|a|b", stderr: "--profile", code: 2},

		{args: "batch|x", stderr: "takes no argument", code: 2},
		{args: "", stderr: `unknown command ""`, code: 2},
		{args: "resolv|x", stderr: `unknown command "resolv": did you mean resolve?`, code: 2},
	}
	for _, test := range tests {
		stdout, stderr, code := runURI("", strings.Split(test.args, "|")...)
		if stdout != test.stdout || !strings.Contains(stderr, test.stderr) || code != test.code {
			t.Errorf("uri %s: status %d, printed %q and %q", test.args, code, stdout, stderr)
		}
	}
	if _, stderr, code := runURI(""); code != exitUsage || !strings.Contains(stderr, "name a command") {
		t.Errorf("uri alone: %d %q", code, stderr)
	}
}

func TestURIBatch(t *testing.T) {
	tests := []struct{ in, out string }{
		{`{"op":"resolve","input":"../g","base":"http://a/b/c"}`, `{"output":"http://a/g"}`},
		{`{"op":"resolve","input":"http:g","base":"http://a/b/c"}`, `{"output":"http:g"}`},
		{`{"op":"resolve","input":"http:g","base":"http://a/b/c","compatible":true}`, `{"output":"http://a/b/g"}`},
		{`{"op":"resolve","input":"","base":"http://a/b/c?d#e"}`, `{"output":"http://a/b/c?d"}`},
		{`{"op":"resolve","input":"../g"}`, `{"error":"resolve: a base is missing"}`},
		{`{"op":"resolve","input":"../g","base":""}`, `{"error":"resolve: a base is missing"}`},
		{`{"op":"resolve","profile":"web","input":"http:h","base":"","other":null}`, `{"output":"http://h/","repairs":["uri-repaired"]}`},
		{`{"op":"resolve","profile":"web","input":"a\\b","base":"http://h/x/"}`, `{"output":"http://h/x/a/b","repairs":["uri-repaired"]}`},
		{`{"op":"resolve","profile":"web","input":"http://h/a"}`, `{"output":"http://h/a","repairs":[]}`},
		{`{"op":"resolve","profile":"web","input":"?é","base":"http://h/","charset":"iso-8859-1"}`,
			`{"output":"http://h/?%E9","repairs":[]}`},
		{`{"op":"normalize","input":"HTTP://H/%7E<"}`,
			`{"error":"parse \"HTTP://H/%7E<\": RFC 3986 path fails at byte 12: '<' is not allowed here"}`},
		{`{"op":"normalize","profile":"rfc","input":"HTTP://H:80?<>"}`,
			`{"error":"parse \"HTTP://H:80?<>\": RFC 3986 query fails at byte 12: '<' is not allowed here"}`},
		{`{"op":"normalize","input":"HTTP://H:80?&"}`, `{"output":"http://h/?&"}`},
		{`{"op":"normalize","input":"b/../%7E","base":"http://h/a"}`, `{"output":"http://h/~"}`},
		{`{"op":"normalize","profile":"web","input":"HTTP://H:80?<&>"}`, `{"output":"http://h/?%3C&%3E","repairs":["uri-repaired"]}`},
		{`{"op":"key","input":"HTTP://u@H/%7E?a#b"}`, `{"output":"http://u@h/~?a"}`},
		{`{"op":"key","profile":"web","input":"HTTP://u@H/%7E?a#b"}`, `{"output":"http://h/~?a"}`},
		{`{"op":"compare","input":"http://h","other":"http://h:80/"}`, `{"output":"equivalent","rung":"scheme","section":"RFC 3986 6.2.3"}`},
		{`{"op":"compare","input":"a","other":"b","base":"http://h/"}`, `{"output":"different","rung":"none"}`},
		{`{"op":"compare","profile":"web","input":"a","other":"./a","base":"http://h/"}`,
			`{"output":"equivalent","rung":"string","section":"RFC 3986 6.2.1"}`},
		{`{"op":"parse","input":"foo://u:p@h:80/a?b#c"}`, `{"output":"foo://u:p@h:80/a?b#c","parts":{"scheme":"foo","authority":"u:p@h:80",` +
			`"userinfo":"u:p","host":"h","port":"80","path":"/a","query":"b","fragment":"c"},"repairs":[]}`},
		{`{"op":"parse","input":"//?#"}`, `{"output":"//?#","parts":{"scheme":null,"authority":"","userinfo":null,"host":"","port":null,` +
			`"path":"","query":"","fragment":""},"repairs":[]}`},
		{`{"op":"parse","input":""}`, `{"output":"","parts":{"scheme":null,"authority":null,"userinfo":null,"host":null,"port":null,` +
			`"path":"","query":null,"fragment":null},"repairs":[]}`},
		{`{"op":"parse","profile":"web","input":"http://u:p@H:8080/a?b#c"}`, `{"output":"http://u:p@h:8080/a?b#c","parts":{"scheme":"http",` +
			`"authority":"u:p@h:8080","userinfo":"u:p","host":"h","port":"8080","path":"/a","query":"b","fragment":"c"},"repairs":["uri-credentials"]}`},
		{`{"op":"parse","profile":"web","input":"http://h:80"}`, `{"output":"http://h/","parts":{"scheme":"http","authority":"h","userinfo":null,` +
			`"host":"h","port":null,"path":"/","query":null,"fragment":null},"repairs":[]}`},
		{`{"op":"parse","profile":"web","input":"mailto:a@b"}`, `{"output":"mailto:a@b","parts":{"scheme":"mailto","authority":null,` +
			`"userinfo":null,"host":null,"port":null,"path":"a@b","query":null,"fragment":null},"repairs":[]}`},
		{`{"op":"parse","profile":"web","input":"file:///x?#"}`, `{"output":"file:///x?#","parts":{"scheme":"file","authority":"",` +
			`"userinfo":null,"host":"","port":null,"path":"/x","query":"","fragment":""},"repairs":[]}`},
		{`{"op":"parse","profile":"web","input":"web+demo:/.//x"}`, `{"output":"web+demo:/.//x","parts":{"scheme":"web+demo","authority":null,` +
			`"userinfo":null,"host":null,"port":null,"path":"//x","query":null,"fragment":null},"repairs":[]}`},
		{`[1]`, `{"error":"expected a JSON object with op and input, not a JSON array"}`},
		{`{"op":5}`, `{"error":"op: expected a string, not a JSON number"}`},
		{`{"input":"x"}`, `{"error":"op is missing: use parse, resolve, normalize, key or compare"}`},
		{`nonsense`, `{"error":"expected a JSON object with op and input: invalid character 'o' in literal null (expecting 'u')"}`},
		{`{"op":"dance","input":""}`, `{"error":"unknown op \"dance\": use parse, resolve, normalize, key or compare"}`},
		{`{"op":"parse","profile":"x","input":""}`, `{"error":"unknown profile \"x\": use rfc or web"}`},
		{`{"op":"parse"}`, `{"error":"input is missing: the URI to work on"}`},
		{`{"op":"compare","input":"a"}`, `{"error":"other is missing: the second URI of compare"}`},
		{`{"op":"key","input":"%"}`, `{"error":"parse \"%\": RFC 3986 pct-encoded fails at byte 0: '%' is not followed by two hexadecimal digits"}`},
	}
	var in, want strings.Builder
	for _, test := range tests {
		in.WriteString(test.in + "\n\n")
		want.WriteString(test.out + "\n")
	}
	stdout, stderr, code := runURI(strings.TrimSuffix(in.String(), "\n\n"), "batch")
	if code != exitOK || stderr != "" {
		t.Errorf("status %d, %s", code, stderr)
	}
	got, wants := strings.Split(stdout, "\n"), strings.Split(want.String(), "\n")
	if len(got) != len(wants) {
		t.Fatalf("%d lines, want %d", len(got), len(wants))
	}
	for i := range got {
		if !sameJSON(got[i], wants[i]) {
			t.Errorf("%s\n got %s\nwant %s", tests[i].in, got[i], wants[i])
		}
	}
}

func sameJSON(a, b string) bool {
	if a == b {
		return true
	}
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && reflect.DeepEqual(x, y)
}

func TestURIBatchExplain(t *testing.T) {
	stdout, _, code := runURI(`{"op":"normalize","input":"http://H/"}`, "batch", "--explain")
	const want = `{"output":"http://h/","steps":[{"section":"RFC 3986 6.2.2.1","what":"host in lower case","result":"http://h/"}]}`
	if code != exitOK || !sameJSON(stdout, want) {
		t.Errorf("status %d, %s", code, stdout)
	}
}

// A program sends a request, waits for the answer, and sends the next one.
func TestURIBatchAnswersAtOnce(t *testing.T) {
	questions, ask := io.Pipe()
	answers, answer := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- uriBatch(questions, answer, false) }()
	replies := bufio.NewScanner(answers)
	for range 3 {
		if _, err := io.WriteString(ask, `{"op":"key","input":"http://h/"}`+"\n"); err != nil {
			t.Fatal(err)
		}
		if !replies.Scan() || replies.Text() != `{"output":"http://h/"}` {
			t.Fatalf("the answer %q", replies.Text())
		}
	}
	ask.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// letters is an endless stream of a's.
type letters struct{}

func (letters) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'a'
	}
	return len(p), nil
}

// broken fails to read or write.
type broken struct{}

var errBroken = errors.New("broken")

func (broken) Read([]byte) (int, error)  { return 0, errBroken }
func (broken) Write([]byte) (int, error) { return 0, errBroken }

func TestURIBatchBrokenPipe(t *testing.T) {
	if err := uriBatch(broken{}, io.Discard, false); !errors.Is(err, errBroken) {
		t.Errorf("reading: %v", err)
	}
	if err := uriBatch(strings.NewReader(`{"op":"key","input":"a:"}`), broken{}, false); !errors.Is(err, errBroken) {
		t.Errorf("writing: %v", err)
	}
	if err := uriBatch(strings.NewReader(strings.Repeat(`{"op":"key","input":"a:"}`+"\n", 10_000)), broken{}, false); !errors.Is(err, errBroken) {
		t.Errorf("writing much: %v", err)
	}
}

func TestExitError(t *testing.T) {
	silent := &exitError{code: 1}
	if silent.Error() != "exit status 1" || silent.Unwrap() != nil {
		t.Errorf("%v", silent)
	}
	cause := &exitError{code: 2, err: errBroken}
	if cause.Error() != "broken" || !errors.Is(cause, errBroken) {
		t.Errorf("%v", cause)
	}
}
