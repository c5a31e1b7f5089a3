package servetest

import (
	"fmt"
	"regexp"
	"strconv"
	"testing"
)

// A live page knows the last event that it shows: a page that is opened after a stop and a resume
// is not told of the stop again.
func TestLivePageFollowsWhatItKnows(t *testing.T) {
	web := newSite(t, map[string]string{"/": `<a href="/slow">slow</a> <a href="/gone">gone</a>`, "/slow": "<p>late"})
	s := open(t, t.TempDir())
	run := s.runOf(s.create(object{"targets": []string{web.URL}, "options": object{"retries": 0}}))
	s.until(run, "running")
	s.call("POST", "runs/"+run+"/stop", nil, 202, nil)
	s.until(run, "interrupted")
	s.call("POST", "runs/"+run+"/resume", nil, 202, nil)
	s.until(run, "running")
	page := string(s.send("GET", "runs/"+run, nil).body)
	found := regexp.MustCompile(`data-events="api/v1/runs/` + run + `/events\?after=([0-9]+)"`).FindStringSubmatch(page)
	if found == nil {
		t.Fatalf("the page does not say from where it follows:\n%s", page)
	}
	web.release()
	after, _ := strconv.Atoi(found[1])
	var states []string
	var last object
	s.follow(run, after, func(e event) bool {
		switch e.kind {
		case "state":
			states = append(states, fmt.Sprint(e.data["state"]))
		case "progress":
			last = e.data
		}
		return true
	})
	if fmt.Sprint(states) != "[done]" {
		t.Errorf("the page is told of %v, want done alone", states)
	}
	if elapsed, _ := last["elapsed_ms"].(float64); elapsed <= 0 || last["rate"] == nil || last["remaining_ms"] != nil {
		t.Errorf("the last progress is %v", last)
	}
}

// The events of all projects are the states of runs and their progress.
func TestEventsOfAllProjects(t *testing.T) {
	web := newSite(t, map[string]string{"/": `<a href="/slow">slow</a>`, "/slow": "<p>late"})
	s := open(t, t.TempDir())
	first, second := s.create(object{"targets": []string{web.URL}}), s.create(object{"targets": []string{web.URL + "/none"}})
	run := s.runOf(first)
	s.until(run, "running")
	other, seen, last := "", map[string]bool{}, 0
	s.read("events", 0, func(e event) bool {
		if last = e.id; other == "" { // the first event is the state of the run that is executed
			other = s.runOf(second)
		}
		switch e.kind {
		case "run":
			seen[fmt.Sprint(e.data["project"], e.data["state"])] = true
		case "progress":
			if p, _ := e.data["progress"].(object); e.data["run"] == run && e.data["project"] == first && p["elapsed_ms"] != nil {
				seen["progress"] = true
			}
		}
		return !seen[first+"running"] || !seen["progress"] || !seen[second+"queued"] || !seen[second+"running"] || !seen[second+"done"]
	})
	s.call("POST", "runs/"+run+"/stop", nil, 202, nil)
	var states []string
	s.read("events", last, func(e event) bool {
		if e.id <= last {
			t.Errorf("event %d comes after %d", e.id, last)
		}
		if last = e.id; e.kind == "run" {
			states = append(states, fmt.Sprint(e.data["state"]))
		}
		return e.data["state"] != "interrupted"
	})
	if fmt.Sprint(states) != "[stopping interrupted]" {
		t.Errorf("the states after the last event are %v", states)
	}
	if a := s.send("GET", "api/v1/events?after=x", nil); a.status != 422 {
		t.Errorf("a wrong id: status %d", a.status)
	}
}
