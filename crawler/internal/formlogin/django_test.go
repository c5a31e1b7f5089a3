package formlogin

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/session"
	"github.com/orbweaver/orbweaver/urinorm"
)

func TestDjango(t *testing.T) {
	address := crawlertest.ServeDjango(t, password)
	text := func(path string) string {
		resp, err := http.Get(address + path)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	start := parse(t, address+"/admin/")
	open := func(secret string) (*visitor, *Proof, *session.Failure) {
		plan, err := session.NewPlan([]session.Config{{URL: address + "/admin/login/", User: user, Password: session.NewSecret(secret)}}, []urinorm.URL{start},
			func(urinorm.URL) bool { return true })
		if err != nil {
			t.Fatal(err)
		}
		client, err := fetch.NewHTTP(fetch.HTTPConfig{Secrets: fetch.Secrets{CookieGroups: plan.CookieGroups()}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(client.Close)
		s := &visitor{New(plan.Logins[0], Options{}), client}
		proof, failure := s.signIn(t)
		return s, proof, failure
	}

	if _, _, failure := open("wrong"); failure == nil || failure.Code != judging.CodeLoginFailed || !strings.Contains(failure.Message, "Please enter the correct username and password") {
		t.Errorf("a wrong password: %v", failure)
	}
	if posts := text("/posts/"); posts != "1" {
		t.Errorf("%s forms were posted with a wrong password", posts)
	}

	s, proof, failure := open(password)
	if failure != nil || !proof.Proven || proof.Public || proof.Page.String() != start.String() {
		t.Fatalf("%+v, %v", proof, failure)
	}
	if list := s.LeaveAlone(); len(list) != 1 || list[0] != address+"/admin/logout/" {
		t.Errorf("left alone: %q", list)
	}
	if standing := s.standing(t); standing != Holding {
		t.Errorf("signed in: %d", standing)
	}

	users := parse(t, address+"/admin/auth/user/")
	text("/cut/")
	resp, err := s.client.Fetch(t.Context(), &fetch.Request{URL: users, Need: fetch.Content})
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	next, _, err := urinorm.ParseWeb(address + resp.Location)
	if err != nil {
		t.Fatal(err)
	}
	if !NewRecognizer(s.Page()).SignedOut(Answer{URL: users, Status: resp.Status, Next: next}) {
		t.Errorf("after the loss, %d with %s is not suspicious", resp.Status, resp.Location)
	}
	if standing := s.standing(t); standing != Lost {
		t.Errorf("after the loss: %d", standing)
	}
	if proof, failure := s.signIn(t); failure != nil || !proof.Proven {
		t.Errorf("signing in again: %v, %v", proof, failure)
	}
	if posts := text("/posts/"); posts != "3" {
		t.Errorf("%s forms were posted", posts)
	}
}
