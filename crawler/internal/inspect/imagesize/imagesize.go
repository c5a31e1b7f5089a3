// Package imagesize reads the width and the height of an image from its header.
package imagesize

import (
	"bytes"
	"encoding/binary"
)

// MaxHeader is how much of a file Of looks at, in bytes. Only a JPEG with long comments or
// profiles has its size further back.
const MaxHeader = 64 << 10

// Of returns the width and the height of an image in pixels, from the beginning of its file.
// It knows PNG, JPEG, GIF, WebP, AVIF, ICO and BMP; ok is false for other files and if the
// header is cut off or broken. Of an icon with several images it returns the largest.
func Of(head []byte) (width, height int, ok bool) {
	head = head[:min(len(head), MaxHeader)]
	for _, f := range formats {
		if len(head) >= f.least && f.is(head) {
			width, height = f.size(head)
			return width, height, width > 0 && height > 0
		}
	}
	return 0, 0, false
}

// formats are the formats of images. least is the length of the shortest header, in bytes; is
// and size are called only for headers that are at least as long. size returns 0 if the size
// is not in the header.
var formats = [...]struct {
	least int
	is    func(head []byte) bool
	size  func(head []byte) (width, height int)
}{
	{24, hasPrefix("\x89PNG\r\n\x1a\n"), png},
	{4, hasPrefix("\xff\xd8\xff"), jpeg},
	{10, func(b []byte) bool { return hasPrefix("GIF87a")(b) || hasPrefix("GIF89a")(b) }, gif},
	{30, func(b []byte) bool { return hasPrefix("RIFF")(b) && hasPrefix("WEBP")(b[8:]) }, webp},
	{16, func(b []byte) bool {
		return hasPrefix("ftypavif")(b[4:]) || hasPrefix("ftypavis")(b[4:]) || hasPrefix("ftypmif1")(b[4:])
	}, avif},
	{6, hasPrefix("\x00\x00\x01\x00"), ico},
	{26, hasPrefix("BM"), bmp},
}

func hasPrefix(prefix string) func([]byte) bool {
	return func(b []byte) bool { return bytes.HasPrefix(b, []byte(prefix)) }
}

func be16(b []byte, at int) int { return int(binary.BigEndian.Uint16(b[at:])) }
func be32(b []byte, at int) int { return int(binary.BigEndian.Uint32(b[at:])) }
func le16(b []byte, at int) int { return int(binary.LittleEndian.Uint16(b[at:])) }
func le24(b []byte, at int) int { return le16(b, at) | int(b[at+2])<<16 }

// png reads the IHDR chunk.
func png(b []byte) (int, int) {
	if string(b[12:16]) != "IHDR" {
		return 0, 0
	}
	return be32(b, 16), be32(b, 20)
}

func gif(b []byte) (int, int) { return le16(b, 6), le16(b, 8) }

// jpeg finds the frame header (ITU T.81 B.2.2).
func jpeg(b []byte) (int, int) {
	for i := 2; i+9 <= len(b) && b[i] == 0xFF; {
		marker := b[i+1]
		switch {
		case marker == 0xFF: // a fill byte
			i++
			continue
		case marker == 0xDA, marker == 0xD9: // the image data, or its end
			return 0, 0
		case marker == 0x01, 0xD0 <= marker && marker <= 0xD8: // no length follows
			i += 2
			continue
		case 0xC0 <= marker && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC:
			return be16(b, i+7), be16(b, i+5)
		}
		i += 2 + max(be16(b, i+2), 2)
	}
	return 0, 0
}

// webp reads the first chunk, of one of three kinds.
func webp(b []byte) (int, int) {
	switch string(b[12:16]) {
	case "VP8 ":
		if string(b[23:26]) == "\x9d\x01\x2a" {
			return le16(b, 26) & 0x3FFF, le16(b, 28) & 0x3FFF
		}
	case "VP8L":
		if b[20] == 0x2F {
			bits := int(binary.LittleEndian.Uint32(b[21:]))
			return bits&0x3FFF + 1, bits>>14&0x3FFF + 1
		}
	case "VP8X":
		return le24(b, 24) + 1, le24(b, 27) + 1
	}
	return 0, 0
}

// avif reads the largest of the image spatial extents (ISO/IEC 23008-12 section 6.5.3), which
// is that of the whole image; tiles and thumbnails have theirs, too.
func avif(b []byte) (width, height int) {
	const versionAndFlags = 4
	meta := box(b, "meta")
	properties := box(box(meta[min(versionAndFlags, len(meta)):], "iprp"), "ipco")
	for {
		extents, rest := nextBox(properties, "ispe")
		if extents == nil {
			return width, height
		}
		if properties = rest; len(extents) >= 12 {
			if w, h := be32(extents, 4), be32(extents, 8); w*h > width*height {
				width, height = w, h
			}
		}
	}
}

// box returns the content of the first box of a type, nil if there is none.
func box(b []byte, kind string) []byte {
	content, _ := nextBox(b, kind)
	return content
}

// nextBox returns the content of the first box of a type, and what follows it. The content is
// cut where b ends.
func nextBox(b []byte, kind string) (content, rest []byte) {
	const header = 8
	for len(b) >= header {
		size, start := be32(b, 0), header
		switch {
		case size == 0: // up to the end of the file
			size = len(b)
		case size == 1 && len(b) >= 16 && be32(b, 8) == 0: // 64 bits
			size, start = be32(b, 12), 16
		}
		if size < start {
			return nil, nil
		}
		size = min(size, len(b))
		if string(b[4:8]) == kind {
			return b[start:size], b[size:]
		}
		b = b[size:]
	}
	return nil, nil
}

func ico(b []byte) (width, height int) {
	const header, entry = 6, 16
	for i := range le16(b, 4) {
		at := header + i*entry
		if at+2 > len(b) {
			break
		}
		w, h := int(b[at]-1)+1, int(b[at+1]-1)+1 // 0 means 256
		if w*h > width*height {
			width, height = w, h
		}
	}
	return width, height
}

func bmp(b []byte) (int, int) {
	const coreHeader = 12
	if le16(b, 14)|le16(b, 16)<<16 == coreHeader {
		return le16(b, 18), le16(b, 20)
	}
	height := int(int32(binary.LittleEndian.Uint32(b[22:])))
	return int(int32(binary.LittleEndian.Uint32(b[18:]))), max(height, -height) // negative: rows from the top
}
