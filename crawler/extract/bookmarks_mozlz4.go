package extract

import (
	"bytes"
	"encoding/binary"

	"github.com/pierrec/lz4/v4"
)

// mozillaLZ4Format is a file in Firefox's bookmarkbackups directory: its JSON as one LZ4
// block, preceded by Mozilla's own header.
var mozillaLZ4Format = format{
	name:       "firefox-bookmarks",
	media:      []string{"application/x-mozlz4"},
	extensions: []string{"jsonlz4", "mozlz4", "baklz4"},
	sniff:      func(head []byte) bool { return bytes.HasPrefix(head, mozillaLZ4Magic) },
	binary:     true,
	read:       readMozillaLZ4,
}

var mozillaLZ4Magic = []byte("mozLz40\x00")

func readMozillaLZ4(h *harvest, in *Input) {
	packed, ok := bytes.CutPrefix(in.Body, mozillaLZ4Magic)
	if !ok || len(packed) < 4 {
		h.fault("unpack bookmarks: not a Mozilla LZ4 file")
		return
	}
	declared := binary.LittleEndian.Uint32(packed)
	packed = packed[4:]
	limit := int64(maxInflated)
	if in.Path == "" && in.Batch == nil { // it is not a file of the user
		limit = maxInflatedText
	}
	// A byte of LZ4 expands to 255 bytes at most, so a larger size must be wrong.
	size := int(min(limit, 255*int64(len(packed))+16))
	if int64(declared) > int64(size) {
		h.fault("unpack bookmarks: the declared size of %d bytes is impossible or beyond the limit of %d", declared, limit)
	} else {
		size = int(declared)
	}
	text := make([]byte, size)
	n, err := lz4.UncompressBlock(packed, text)
	if err != nil {
		h.fault("unpack bookmarks: %v", err)
		n = size
		if zero := bytes.IndexByte(text, 0); zero >= 0 { // JSON contains no NUL, so unpacking stopped here
			n = zero
		}
	}
	h.reset(h.doc, validUTF8(text[:n]))
	h.doc.Charset = "utf-8"
	list := firefoxTreeList(h, in)
	list.noPositions = true // such a file cannot be opened in an editor
	readFirefoxNodes(list)
}
