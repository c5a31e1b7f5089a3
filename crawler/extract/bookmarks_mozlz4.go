package extract

import (
	"bytes"
	"encoding/binary"

	"github.com/pierrec/lz4/v4"
)

// mozillaLZ4Format is a file of bookmarkbackups: Firefox's JSON in one block of
// LZ4 behind a head of Mozilla's own.
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
		h.fault("unpack bookmarks: no file of Mozilla's LZ4")
		return
	}
	declared := binary.LittleEndian.Uint32(packed)
	packed = packed[4:]
	// A byte of LZ4 stands for 255 at most, so a greater size is a lie.
	size := int(min(MaxInflated, 255*int64(len(packed))+16))
	if int64(declared) > int64(size) {
		h.fault("unpack bookmarks: the size they declare, %d bytes, is not to be believed", declared)
	} else {
		size = int(declared)
	}
	text := make([]byte, size)
	n, err := lz4.UncompressBlock(packed, text)
	if err != nil {
		h.fault("unpack bookmarks: %v", err)
		n = size
		if zero := bytes.IndexByte(text, 0); zero >= 0 { // up to there it was unpacked: JSON holds no NUL
			n = zero
		}
	}
	h.reset(h.doc, validUTF8(text[:n]))
	h.doc.Charset = "utf-8"
	list := firefoxTreeList(h, in)
	list.placeless = true // nobody can open such a file in an editor
	readFirefoxNodes(list)
}
