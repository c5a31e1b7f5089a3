package captures

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/urinorm"
)

var errJSON = errors.New("it is not JSON as CDX servers write it")

// CDX reads the answer of a CDX server at an origin, such as https://web.archive.org: an array of
// arrays, the first of which names the columns, or one object a line. An answer that is longer than
// MaxAnswer is read up to its last whole row.
func CDX(answer []byte, origin string) (*check.Archived, error) {
	c := collection{cut: len(answer) > MaxAnswer}
	r := rows{origin: origin, to: &c}
	answer = bytes.TrimSpace(answer[:min(len(answer), MaxAnswer)])
	var err error
	switch {
	case len(answer) == 0:
	case answer[0] == '[':
		err = r.arrays(answer)
	default:
		err = r.objects(answer)
	}
	if err != nil {
		return nil, fmt.Errorf("read its answer: %w", err)
	}
	return c.archived("wayback"), nil
}

// rows reads the rows of an answer.
type rows struct {
	origin string
	status string // of the row before
	to     *collection
}

// arrays reads an array of arrays.
func (r *rows) arrays(answer []byte) error {
	in := json.NewDecoder(bytes.NewReader(answer))
	if _, err := in.Token(); err != nil {
		return errJSON
	}
	var columns []string
	for in.More() {
		var row []any
		if err := in.Decode(&row); err != nil {
			return r.broken(err)
		}
		values := map[string]string{}
		for i, v := range row {
			text, _ := v.(string)
			if columns != nil && i < len(columns) {
				values[columns[i]] = text
			}
		}
		if columns == nil {
			columns = make([]string, len(row))
			for i, v := range row {
				columns[i], _ = v.(string)
			}
			continue
		}
		if err := r.add(values); err != nil {
			return err
		}
	}
	if _, err := in.Token(); err != nil {
		return r.broken(err)
	}
	if in.More() {
		return errJSON
	}
	return nil
}

// objects reads one object a line.
func (r *rows) objects(answer []byte) error {
	for line := range bytes.Lines(answer) {
		var row map[string]any
		if err := json.Unmarshal(line, &row); err != nil {
			if len(answer) > len(line) && bytes.HasSuffix(answer, line) { // the last line
				return r.broken(io.ErrUnexpectedEOF)
			}
			return errJSON
		}
		values := map[string]string{}
		for name, v := range row {
			switch v := v.(type) {
			case string:
				values[name] = v
			case float64:
				values[name] = fmt.Sprint(v)
			}
		}
		if err := r.add(values); err != nil {
			return err
		}
	}
	return nil
}

// broken returns the error of an answer in which another error was found, which is none if that is
// where it was cut.
func (r *rows) broken(err error) error {
	if r.to.cut && (err == io.EOF || err == io.ErrUnexpectedEOF) {
		return nil
	}
	return errJSON
}

// add adds a row.
func (r *rows) add(row map[string]string) error {
	stamp, original := row["timestamp"], row["original"]
	if original == "" {
		original = row["url"]
	}
	at, err := time.Parse("20060102150405", stamp)
	if err != nil {
		return fmt.Errorf("the timestamp %q is not a time", stamp)
	}
	if web(original) == "" {
		return errAddress
	}
	status := row["statuscode"]
	if status == "" {
		status = row["status"]
	}
	if status == "-" {
		status = r.status
	}
	r.status = status
	s := seen{at: at, status: status, copy: r.origin + "/web/" + stamp + "/" + original}
	if to := row["redirect"]; to != "" && to != "-" {
		s.redirect = resolved(original, to)
	}
	r.to.add(s)
	return nil
}

// resolved returns the address that a redirect of a page leads to; "" if it is neither http nor
// https.
func resolved(page, to string) string {
	at, _, err := urinorm.ParseWeb(page)
	if err != nil {
		return ""
	}
	base, err := urinorm.NewBase(at, "")
	if err != nil {
		return ""
	}
	u, _, err := base.Resolve(to)
	if err != nil {
		return ""
	}
	return web(u.String())
}
