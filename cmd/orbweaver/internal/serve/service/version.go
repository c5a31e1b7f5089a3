package service

import (
	"net/http"
	"slices"
	"strconv"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
)

// Condition are the versions of an object that a client has seen, of which it must have one before
// it is changed; "*" stands for any. Nil is no condition.
type Condition []string

// holds reports whether an object may be changed. Version 0 is that of an object that does not exist.
func (c Condition) holds(version int64) bool {
	return c == nil || slices.Contains(c, strconv.FormatInt(version, 10)) || version > 0 && slices.Contains(c, "*")
}

// changedMeanwhile is the problem for a change of an object that somebody has changed.
func changedMeanwhile(current any) error {
	p := api.NewProblem(http.StatusPreconditionFailed, "somebody has changed it meanwhile: its version is not one of If-Match")
	p.Current = current
	return p
}
