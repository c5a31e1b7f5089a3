//go:build !race

package storetest

import (
	"testing"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

func TestWideFile(t *testing.T) { testFile(t, frontier.Wide) }
