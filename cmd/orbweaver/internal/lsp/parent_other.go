//go:build !linux

package lsp

import (
	"context"
	"errors"
)

// awaitEnd waits until a process is gone. It cannot do that here.
func awaitEnd(context.Context, int) error { return errors.ErrUnsupported }
