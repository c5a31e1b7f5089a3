package store

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if file := os.Getenv("ORBWEAVER_CACHE_WRITER"); file != "" {
		writeForever(file)
	}
	goleak.VerifyTestMain(m)
}
