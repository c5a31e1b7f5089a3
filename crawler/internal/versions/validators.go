// Package versions tells the versions of resources and files apart.
package versions

import (
	"net/http"
	"strings"
)

// Validators distinguish versions of a resource (RFC 9110 section 8.8).
type Validators struct {
	ETag         string // as sent by the server, weak or strong
	LastModified string // as sent by the server
}

// IsZero reports whether there are no validators.
func (v Validators) IsZero() bool { return v.ETag == "" && v.LastModified == "" }

// Match reports whether an answer is the version of a resource that has the validators: a 304,
// or one with the same validators, as not all servers answer a conditional HEAD request with
// 304.
func (v Validators) Match(status int, header http.Header) bool {
	if v.IsZero() {
		return false
	}
	if status == http.StatusNotModified {
		tag := header.Get("ETag")
		return tag == "" || v.ETag == "" || opaqueTag(tag) == opaqueTag(v.ETag)
	}
	if now := header.Get("ETag"); v.ETag != "" {
		return status/100 == 2 && opaqueTag(now) == opaqueTag(v.ETag)
	}
	return status/100 == 2 && header.Get("Last-Modified") == v.LastModified
}

// AddTo makes a request with a header conditional (RFC 9110 sections 13.1.2 and 13.1.3). If both
// fields are present, servers look only at the entity tag.
func (v Validators) AddTo(header *http.Header) {
	if *header == nil {
		*header = http.Header{}
	}
	h := *header
	if v.ETag != "" && h["If-None-Match"] == nil {
		h["If-None-Match"] = []string{v.ETag}
	}
	if v.LastModified != "" && h["If-Modified-Since"] == nil {
		h["If-Modified-Since"] = []string{v.LastModified}
	}
}

// Explains reports whether the condition of a request may have caused an answer: a 304
// for a different version (RFC 9111 section 4.3.4), or an error with which some servers
// answer conditional requests.
func (v Validators) Explains(resp *http.Response) bool {
	if v.IsZero() {
		return false
	}
	switch resp.StatusCode {
	case http.StatusNotModified:
		tag := resp.Header.Get("ETag")
		return tag != "" && v.ETag != "" && opaqueTag(tag) != opaqueTag(v.ETag)
	case http.StatusBadRequest, http.StatusPreconditionFailed, http.StatusInternalServerError, http.StatusNotImplemented:
		return true
	}
	return false
}

// opaqueTag returns the part of an entity tag that a weak comparison uses (RFC 9110
// section 8.8.3.2).
func opaqueTag(tag string) string { return strings.TrimPrefix(strings.TrimSpace(tag), "W/") }

// Of returns the validators for a later request. It ignores a Last-Modified
// date less than a second before the answer, because the resource may have changed
// again in the same second (RFC 9110 section 8.8.2.2).
func Of(h http.Header) Validators {
	v := Validators{ETag: h.Get("ETag"), LastModified: h.Get("Last-Modified")}
	if !isEntityTag(v.ETag) {
		v.ETag = ""
	}
	modified, err := http.ParseTime(v.LastModified)
	date, err2 := http.ParseTime(h.Get("Date"))
	if err != nil || err2 != nil || !modified.Before(date) {
		v.LastModified = ""
	}
	return v
}

// maxEntityTag is the size limit of an entity tag, in bytes.
const maxEntityTag = 1024

// isEntityTag reports whether a tag is well formed (RFC 9110 section 8.8.3).
func isEntityTag(tag string) bool {
	opaque := strings.TrimPrefix(tag, "W/")
	if len(tag) > maxEntityTag || len(opaque) < 2 || opaque[0] != '"' || opaque[len(opaque)-1] != '"' {
		return false
	}
	for _, c := range []byte(opaque[1 : len(opaque)-1]) {
		if c <= ' ' || c == '"' || c == 0x7f {
			return false
		}
	}
	return true
}
