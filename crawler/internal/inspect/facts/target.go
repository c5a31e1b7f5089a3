package facts

import (
	"bytes"
	"crypto/sha256"
	"crypto/sha512"
	"errors"
	"io"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/internal/inspect/imagesize"
)

// Algorithm is a hash function of Subresource Integrity, the strongest last (SRI 3.2).
type Algorithm uint8

// The algorithms.
const (
	NoAlgorithm Algorithm = iota
	SHA256
	SHA384
	SHA512
)

// algorithms are the names of the algorithms and the lengths of their digests.
var algorithms = [...]struct {
	name string
	size int
}{SHA256: {"sha256", sha256.Size}, SHA384: {"sha384", sha512.Size384}, SHA512: {"sha512", sha512.Size}}

// AlgorithmOf returns the algorithm with a name, whose case does not matter.
func AlgorithmOf(name string) Algorithm {
	for a := SHA256; a <= SHA512; a++ {
		if strings.EqualFold(algorithms[a].name, name) {
			return a
		}
	}
	return NoAlgorithm
}

// String returns the name of the algorithm.
func (a Algorithm) String() string { return algorithms[a].name }

// Size returns the length of a digest, in bytes.
func (a Algorithm) Size() int { return algorithms[a].size }

// Target is what is known of a document that pages use: the size of an image, or the hashes of
// a script or style sheet.
type Target struct {
	Width, Height int // in pixels, 0 if the target is not an image that imagesize knows
	// Digests are the hashes of the whole body, in ascending order of the algorithms. They
	// are empty if they are not known.
	Digests []byte
	// Origin is the one that the request named, "" for none, and AllowOrigin what the answer said in
	// Access-Control-Allow-Origin.
	Origin, AllowOrigin string
}

// maxOrigin is the length of Target.Origin and Target.AllowOrigin, in bytes.
const maxOrigin = 300

// Cut returns as much of a value as facts keep.
func Cut(value string) string { return value[:min(len(value), maxOrigin)] }

// TargetOf returns the facts of a body. Of an image only the header is read; all other bodies
// are read whole, up to a limit in bytes. A longer body has no digests.
func TargetOf(body io.Reader, limit int64) (t Target, err error) {
	head := make([]byte, min(imagesize.MaxHeader, max(limit, 0)))
	n, err := io.ReadFull(body, head)
	head = head[:n]
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return t, err
	}
	var image bool
	if t.Width, t.Height, image = imagesize.Of(head); image {
		return t, nil
	}
	t.Width, t.Height = 0, 0
	h256, h384, h512 := sha256.New(), sha512.New384(), sha512.New()
	rest := io.MultiReader(bytes.NewReader(head), body)
	read, err := io.Copy(io.MultiWriter(h256, h384, h512), io.LimitReader(rest, limit+1))
	if err != nil || read > limit {
		return t, err
	}
	t.Digests = h512.Sum(h384.Sum(h256.Sum(nil)))
	return t, nil
}

// digestsSize is the length of Target.Digests.
const digestsSize = sha256.Size + sha512.Size384 + sha512.Size

// Digest returns the hash of the body by an algorithm, nil if it is not known.
func (t *Target) Digest(a Algorithm) []byte {
	if len(t.Digests) != digestsSize {
		return nil
	}
	start := 0
	for b := SHA256; b < a; b++ {
		start += b.Size()
	}
	return t.Digests[start : start+a.Size()]
}
