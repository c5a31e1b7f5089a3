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
	goleak.VerifyTestMain(m)
}
