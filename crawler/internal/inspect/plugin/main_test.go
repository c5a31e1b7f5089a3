package plugin

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if name := os.Getenv("PLUGIN_TEST_CHILD"); name != "" {
		runChild(name)
		os.Exit(0)
	}
	os.Setenv("GORACE", "atexit_sleep_ms=10") // or each plugin with the race detector sleeps for a second before it exits
	goleak.VerifyTestMain(m)
}
