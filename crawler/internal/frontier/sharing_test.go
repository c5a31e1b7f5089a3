package frontier

import (
	"reflect"
	"testing"
	"time"
)

// TestStateThatIsShared passes the state of a host to a process whose clock is two seconds ahead.
func TestStateThatIsShared(t *testing.T) {
	const form = `{"Limit":8,"LimitInterval":1,"Concurrency":2,"Interval":3,"Rest":1700000000000001,"Gated":true,"Passing":1,"GivenUp":true,"Answered":true,"Timeouts":4,"Good":5,` +
		`"Slowed":1700000000000002,"SlowedAt":6,"Warned":true,"Refusals":7,"TooLong":8,"Rests":9,"Rested":10,"Slowest":11,"Best":12,"Usual":13,"Starting":true,"Recent":14,` +
		`"BestRecent":15,"Keeps":true,"TrialSince":0,"TrialAnswers":16,"TrialSum":17,"TrialBefore":18,"TrialRaised":19,"TrialFailures":20}`
	within := [Shares]Share{{Key: "domain example.com", Most: 3}}
	c := &controller{within: within, Good: 99}
	if err := c.decode([]byte(form), -2*time.Second); err != nil {
		t.Fatal(err)
	}
	if got, want := c.Rest.Time, time.UnixMicro(1700000002000001); !got.Equal(want) {
		t.Errorf("rest by this process's clock: got %v, want %v", got, want)
	}
	if !c.Since.IsZero() || c.within != within || c.Good != 5 {
		t.Errorf("got the time of no trial %v, shares %v and %d good answers, want none, %v and 5", c.Since, c.within, c.Good, within)
	}
	if got := string(c.encode(-2 * time.Second)); got != form {
		t.Errorf("encoded again:\ngot  %s\nwant %s", got, form)
	}
	again := &controller{within: within}
	if err := again.decode(c.encode(0), 0); err != nil || !reflect.DeepEqual(again, c) {
		t.Errorf("got %+v, %v, want %+v", again, err, c)
	}
	if err := c.decode([]byte(`{"Rest":"soon"}`), 0); err == nil {
		t.Error("a time that is not a number gave no error")
	}
}
