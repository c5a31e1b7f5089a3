package main

import (
	"encoding/json"
	"maps"
	"testing"
)

// sameFindings compares two reports without times and without counts of requests, or two
// other texts as they are.
func sameFindings(t *testing.T, a, b string) bool {
	t.Helper()
	return findings(t, a) == findings(t, b)
}

func findings(t *testing.T, text string) string {
	t.Helper()
	var report map[string]any
	if err := json.Unmarshal([]byte(text), &report); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	maps.DeleteFunc(report, func(name string, _ any) bool { return name == "started" || name == "elapsed_ms" })
	if summary, ok := report["summary"].(map[string]any); ok {
		delete(summary, "requests")
		delete(summary, "cached")
	}
	results, _ := report["results"].([]any)
	for _, r := range results {
		r := r.(map[string]any)
		for _, name := range []string{"elapsed_ms", "attempts", "cached"} {
			delete(r, name)
		}
	}
	same, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	return string(same)
}
