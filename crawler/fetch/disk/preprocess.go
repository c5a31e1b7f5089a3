package disk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/crawler/fetch"
)

// Preprocessor is a command that converts files to documents that can be read for links. It
// gets the path of the file and writes the document to its standard output.
type Preprocessor struct {
	// Extension is that of the files, in lower case and without its dot.
	Extension string
	// Command is the program and its arguments. In these, {} stands for the path of the file;
	// if none contains it, the path is the last argument. No shell is involved.
	Command []string
	Env     []string // its environment
}

// Preprocessors convert files by their extensions.
type Preprocessors []Preprocessor

// Limits of one conversion.
const (
	maxPreprocessed   = 64 << 20 // bytes of its output
	maxPreprocessTime = time.Minute
	maxComplaint      = 200 // bytes of its standard error that are reported
)

// For returns the command for a file, or nil.
func (p Preprocessors) For(name string) *Preprocessor {
	if len(p) == 0 {
		return nil
	}
	extension := strings.ToLower(strings.TrimPrefix(filepath.Ext(name), "."))
	if i := slices.IndexFunc(p, func(c Preprocessor) bool { return c.Extension == extension }); i >= 0 {
		return &p[i]
	}
	return nil
}

// Run returns what the command makes of a file. An error of the command is a [fetch.Fault] of
// the kind file-unreadable.
func (p *Preprocessor) Run(ctx context.Context, path string) ([]byte, error) {
	limited, cancel := context.WithTimeout(ctx, maxPreprocessTime)
	defer cancel()
	absolute, err := filepath.Abs(path) // a name cannot be taken for an option
	if err != nil {
		return nil, fileFault("preprocess", path, err)
	}
	arguments, placed := slices.Clone(p.Command[1:]), false
	for i, a := range arguments {
		if strings.Contains(a, "{}") {
			arguments[i], placed = strings.ReplaceAll(a, "{}", absolute), true
		}
	}
	if !placed {
		arguments = append(arguments, absolute)
	}
	cmd := exec.CommandContext(limited, p.Command[0], arguments...)
	cmd.Env, cmd.WaitDelay = p.Env, time.Second
	out, complaint := limitedBuffer{most: maxPreprocessed}, limitedBuffer{most: maxComplaint}
	cmd.Stdout, cmd.Stderr = &out, &complaint
	err = cmd.Run()
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case limited.Err() != nil:
		err = fmt.Errorf("%s took more than %s", p.Command[0], maxPreprocessTime)
	case out.full && errors.Is(err, errOutputTooLong):
		err = fmt.Errorf("%s wrote more than %d MiB", p.Command[0], maxPreprocessed>>20)
	case err != nil:
		err = fmt.Errorf("%s: %w", p.Command[0], err)
		if said, _, _ := strings.Cut(strings.TrimSpace(complaint.String()), "\n"); said != "" {
			err = fmt.Errorf("%w: %s", err, strings.ToValidUTF8(said, "\uFFFD"))
		}
	}
	if err != nil {
		return nil, &fetch.Fault{Kind: "file-unreadable", Op: "preprocess", Target: path, Err: err, Requests: 1}
	}
	return out.Bytes(), nil
}

var errOutputTooLong = errors.New("the output is too long")

// limitedBuffer keeps the first bytes that are written to it, and then refuses more.
type limitedBuffer struct {
	bytes.Buffer
	most int
	full bool
}

func (b *limitedBuffer) Write(p []byte) (int, error) {
	if room := b.most - b.Len(); len(p) > room {
		b.full = true
		_, _ = b.Buffer.Write(p[:room])
		if b.most == maxComplaint {
			return len(p), nil // the rest of the complaints does not matter
		}
		return room, errOutputTooLong
	}
	return b.Buffer.Write(p)
}

// apply replaces the body of an answer by what the command makes of its file. media is the
// type that the user set for such files, or "".
func (p Preprocessors) apply(ctx context.Context, resp *fetch.Response, media string) (*fetch.Response, error) {
	c := p.For(resp.Path)
	if c == nil {
		return resp, nil
	}
	if resp.ContentType = media; resp.Body == nil {
		return resp, nil
	}
	resp.Body.Close()
	out, err := c.Run(ctx, resp.Path)
	if err != nil {
		return nil, err
	}
	resp.Body, resp.Size, resp.Converted = io.NopCloser(bytes.NewReader(out)), int64(len(out)), true
	if media == "" {
		resp.ContentType = fetch.SniffText(out)
	}
	return resp, nil
}
