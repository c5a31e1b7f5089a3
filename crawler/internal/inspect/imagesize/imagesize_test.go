package imagesize

import (
	"bytes"
	"encoding/hex"
	"image"
	"image/color/palette"
	gifformat "image/gif"
	jpegformat "image/jpeg"
	pngformat "image/png"
	"strings"
	"testing"
)

// encoded returns an image of 300 by 200 pixels in the three formats that the standard library
// writes.
func encoded(t testing.TB) (png, jpeg, gif []byte) {
	img := image.NewPaletted(image.Rect(0, 0, 300, 200), palette.Plan9)
	var p, j, g bytes.Buffer
	for _, err := range []error{pngformat.Encode(&p, img), jpegformat.Encode(&j, img, nil), gifformat.Encode(&g, img, nil)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return p.Bytes(), j.Bytes(), g.Bytes()
}

// unhex returns bytes written in hexadecimal with blanks; other words stand for themselves.
func unhex(s string) (b []byte) {
	for word := range strings.FieldsSeq(s) {
		if raw, err := hex.DecodeString(word); err == nil {
			b = append(b, raw...)
		} else {
			b = append(b, word...)
		}
	}
	return b
}

// bmffBox returns a box of a file of ISO base media.
func bmffBox(kind, content string) string {
	n := len(content) + 8
	return string([]byte{0, 0, byte(n >> 8), byte(n)}) + kind + content
}

func extents(width, height byte) string {
	return bmffBox("ispe", "\x00\x00\x00\x00"+string([]byte{0, 0, width, 0, 0, 0, height, 0}))
}

func TestOf(t *testing.T) {
	png, jpeg, gif := encoded(t)
	comment := append(unhex("ffd8 fffe 0102"), make([]byte, 256)...)
	avif := bmffBox("ftyp", "avif\x00\x00\x00\x00mif1") + bmffBox("free", "abc") +
		bmffBox("meta", "\x00\x00\x00\x00"+bmffBox("hdlr", "x")+bmffBox("iprp", bmffBox("ipco", extents(1, 1)+bmffBox("pixi", "123")+extents(3, 2)+extents(1, 2))))
	for _, test := range []struct {
		name          string
		head          []byte
		width, height int
	}{
		{"png", png, 300, 200},
		{"png, cut", png[:23], 0, 0},
		{"png, another chunk first", unhex("89 PNG 0d0a1a0a 00000004 CgBI 00000000 00000000 00000000"), 0, 0},
		{"jpeg", jpeg, 300, 200},
		{"jpeg with a comment", append(comment, jpeg[2:]...), 300, 200},
		{"jpeg, progressive, with fill bytes", unhex("ffd8 ffffff c2 0011 08 00c8 012c 03"), 300, 200},
		{"jpeg, cut", jpeg[:20], 0, 0},
		{"jpeg without a frame", unhex("ffd8 ffda 0008 0000 0000 0000 0000"), 0, 0},
		{"jpeg, arithmetic tables only", unhex("ffd8 ffcc 0011 08 00c8 012c 03"), 0, 0},
		{"gif", gif, 300, 200},
		{"webp, lossy", unhex("RIFF 00000000 WEBP VP8") /* blank follows */, 0, 0},
		{"webp, lossy, whole", append(append(unhex("RIFF 00000000 WEBP VP8"), ' '), unhex("00000000 000000 9d012a 2c41 c880")...), 300, 200},
		{"webp, lossless", unhex("RIFF 00000000 WEBP VP8L 00000000 2f 2bc13100 0000000000"), 300, 200},
		{"webp, extended", unhex("RIFF 00000000 WEBP VP8X 0a000000 00000000 2b0100 c70000"), 300, 200},
		{"avif", []byte(avif), 768, 512},
		{"avif without extents", []byte(bmffBox("ftyp", "avif\x00\x00\x00\x00mif1")), 0, 0},
		{"ico", unhex("0000 0100 0200 10100000 00000000 00000000 00000000 20300000"), 32, 48},
		{"ico with 256 pixels", unhex("0000 0100 0100 00000000"), 256, 256},
		{"bmp", unhex("BM 00000000 00000000 00000000 28000000 2c010000 c8000000"), 300, 200},
		{"bmp, rows from the top", unhex("BM 00000000 00000000 00000000 28000000 2c010000 38ffffff"), 300, 200},
		{"bmp of OS/2", unhex("BM 00000000 00000000 00000000 0c000000 2c01 c800 0100 0100"), 300, 200},
		{"svg", []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="300" height="200"/>`), 0, 0},
		{"nothing", nil, 0, 0},
	} {
		width, height, ok := Of(test.head)
		if ok != (test.width > 0) || ok && (width != test.width || height != test.height) {
			t.Errorf("%s: %d by %d, %t, want %d by %d", test.name, width, height, ok, test.width, test.height)
		}
		if again, _, _ := Of(test.head); again != width {
			t.Errorf("%s: %d and %d", test.name, width, again)
		}
	}
}

func FuzzOf(f *testing.F) {
	png, jpeg, gif := encoded(f)
	for _, seed := range [][]byte{png, jpeg, gif, []byte("BM"), []byte("\x00\x00\x01\x00\xff\xff"), []byte("RIFF....WEBPVP8X................"),
		[]byte(bmffBox("ftyp", "avif") + bmffBox("meta", "\x00\x00\x00\x00"+bmffBox("iprp", bmffBox("ipco", extents(1, 2))))), unhex("00000001 ftypavif 00000000 00000001")} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, head []byte) {
		if w, h, ok := Of(head); ok && (w <= 0 || h <= 0) {
			t.Errorf("%d by %d", w, h)
		}
	})
}
