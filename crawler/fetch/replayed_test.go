package fetch_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/evidence"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/traffic"
	"github.com/orbweaver/orbweaver/urinorm"
)

// asker asks for URLs, mail exchangers and mailboxes, and describes the answers.
type asker struct {
	fetchers fetch.Mux
	resolver fetch.Resolver
	probe    fetch.MailProber
}

// TestReplayed asks servers of schemes other than http, and asks again without them from what
// was kept: the answers are the same.
func TestReplayed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "e.wacz")
	var questions, want []string
	t.Run("kept", func(t *testing.T) { // its servers end with it
		certificate, authority := fetch.ServerCertificate(t)
		plain, secure := fetch.DirectoryServer(t, certificate)
		handler, _ := fetch.ServeSockets(t)
		sockets := httptest.NewServer(handler)
		t.Cleanup(sockets.Close)
		ftp, mail := "ftp://"+fetch.FTPServer(t, fetch.FTPTree(t), ""), fetch.MailServer(t)
		names := fetch.NameServer(t, "--mx-host=example.com,mx.example.com,20", "--host-record=mx.example.com,127.0.0.1")
		questions = []string{ftp + "/", ftp + "/readme.txt", ftp + "/page.html", ftp + "/docs", ftp + "/docs/", ftp + "/nothing",
			"dns:www.example.com", "dns:nothing.example.com", "dns:www.example.com?type=CERT", "dns://" + names + "/alias.example.com?type=CNAME",
			"mx:example.com", "mx:nothing.example.com", "mailto:joe@example.com", "mailto:nobody@example.com", "mailto:full@example.com", "mailto:joe@nothing.example.com"}
		for _, base := range []string{"ldap://" + plain, "ldaps://" + secure} {
			questions = append(questions, base+"/ou=people,dc=example,dc=com", base+"/ou=nobody,dc=example,dc=com", base+"/ou=hidden,dc=example,dc=com", base+"/ou=elsewhere,dc=example,dc=com")
		}
		for _, path := range []string{"/socket", "/page", "/nothing", "/moved"} {
			questions = append(questions, "ws"+strings.TrimPrefix(sockets.URL, "http")+path)
		}
		k, err := evidence.Create(evidence.Options{Path: file, All: true, MaxSize: 1 << 30, MaxBody: 1 << 20, Software: "orbweaver/test", Note: t.Output()})
		if err != nil {
			t.Fatal(err)
		}
		web, other, a := newAsker(t, fetch.HTTPConfig{CAFile: authority, DNSServer: names, ConnectTo: []fetch.ConnectTo{{From: "mx.example.com:25", To: mail}}})
		web.Record(k)
		a.resolver, a.probe = k.Resolver(other.Resolver()), k.Probe(other)
		want = a.ask(t, questions)
		for i, words := range map[int]string{1: `"hello\nworld\n"`, 5: "file-missing", 7: "dns-not-found", 10: "mx.example.com", 12: "<nil>", 13: "file-missing", 14: "rate-limited", 18: "file-unreadable", 19: "ldap.example.net", 24: "101"} {
			if !strings.Contains(want[i], words) {
				t.Errorf("%s: %s, want %s", questions[i], want[i], words)
			}
		}
		if err := k.Finish(evidence.Run{Complete: true}); err != nil {
			t.Fatal(err)
		}
	})
	if t.Failed() {
		return
	}
	kept, err := evidence.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(kept.Close)
	web, _, a := newAsker(t, fetch.HTTPConfig{DNSServer: "127.0.0.1:1"})
	web.Replay(kept)
	a.resolver, a.probe = kept.Resolver(), kept
	for i, got := range a.ask(t, questions) {
		if got != want[i] {
			t.Errorf("%s:\n%s, want\n%s", questions[i], got, want[i])
		}
		if strings.Contains(got, "evidence-missing") {
			t.Errorf("%s was not kept", questions[i])
		}
	}
	if got := a.ask(t, []string{"ftp://other.test/"})[0]; !strings.Contains(got, "evidence-missing") {
		t.Errorf("what was not asked: %s", got)
	}
}

func newAsker(t *testing.T, config fetch.HTTPConfig) (*fetch.HTTP, *fetch.OtherSchemes, *asker) {
	t.Helper()
	config.NoEnvironment = true
	web, err := fetch.NewHTTP(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(web.Close)
	other, err := fetch.NewOtherSchemes(web, fetch.OtherSchemesConfig{DNSServer: config.DNSServer})
	if err != nil {
		t.Fatal(err)
	}
	return web, other, &asker{fetchers: other.Fetchers()}
}

// ask asks all questions, each of those with a path for existence and for content.
func (a *asker) ask(t *testing.T, questions []string) (answers []string) {
	t.Helper()
	for _, q := range questions {
		scheme, rest, _ := strings.Cut(q, ":")
		var answer string
		if scheme == "mx" {
			ctx := traffic.WithAsker(t.Context(), traffic.Asker{URL: parse(t, "mailto:joe@"+rest), Visit: true})
			records, err := a.resolver.LookupMX(ctx, rest)
			for _, r := range records {
				answer += fmt.Sprint(*r)
			}
			if d, ok := errors.AsType[*net.DNSError](err); ok {
				err = &net.DNSError{Err: d.Err, Name: d.Name, IsNotFound: d.IsNotFound} // the name server of this machine is not kept
			}
			answer += fmt.Sprintf("%#v", err)
		} else if scheme == "mailto" {
			m, err := urinorm.ParseMailto(q)
			if err != nil {
				t.Fatal(err)
			}
			answer = inWords(nil, a.probe.ProbeMail(traffic.WithAsker(t.Context(), traffic.Asker{URL: parse(t, q), Visit: true}), m.To[0]))
		} else {
			for _, need := range []fetch.Need{fetch.Existence, fetch.Content} {
				u := parse(t, q)
				answer += inWords(a.fetchers.Fetch(traffic.WithAsker(t.Context(), traffic.Asker{URL: u, Visit: true}), &fetch.Request{URL: u, Need: need})) + "\n"
			}
		}
		answers = append(answers, answer)
	}
	return answers
}

func parse(t *testing.T, address string) urinorm.URL {
	t.Helper()
	u, _, err := urinorm.ParseWeb(address)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// inWords describes an answer, with its body.
func inWords(resp *fetch.Response, err error) string {
	var fault *fetch.Fault
	if errors.As(err, &fault) {
		return fmt.Sprintf("%s %v %v %d", fault.Kind, fault, fault.Retry, fault.Requests)
	}
	if resp == nil {
		return fmt.Sprint(err)
	}
	text := fmt.Sprintf("%d %q %q %d %v %d %q %v", resp.Status, resp.Location, resp.ContentType, resp.Size, resp.Modified, resp.Requests, resp.Excerpt, resp.Notes)
	if resp.Body != nil {
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		text += fmt.Sprintf(" %q %v", body, err)
	}
	return text
}
