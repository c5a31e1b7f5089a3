package urinorm

import (
	"sort"

	"golang.org/x/text/encoding"
)

// gb18030 encodes gb18030 or GBK (Encoding Standard 10.2.2). x/text has the tables
// of GB18030-2000; index gb18030 also has the user-defined areas and follows the
// editions of 2005 and 2022.
func gb18030(enc encoding.Encoding, isGBK bool) runeEncoder {
	encode := multiByte(enc)
	return func(dst []byte, r rune) ([]byte, bool) {
		switch {
		case r == '\uE5E5':
			return dst, false
		case r == '\uE7C7' && !isGBK: // its former code is now that of U+1E3F
			return append(dst, 0x81, 0x35, 0xF4, 0x37), true
		}
		i := sort.Search(len(gb18030Runs), func(i int) bool { return gb18030Runs[i].last >= r })
		if i < len(gb18030Runs) && gb18030Runs[i].first <= r {
			pointer := gb18030Runs[i].pointer + r - gb18030Runs[i].first
			trail := pointer%190 + 0x40
			if trail >= 0x7F {
				trail++
			}
			return append(dst, byte(pointer/190+0x81), byte(trail)), true
		}
		return encode(dst, r)
	}
}

// gb18030Run is a run of consecutive characters that have consecutive pointers in
// index gb18030 (5).
type gb18030Run struct{ first, last, pointer rune }

// gb18030Runs holds the characters that x/text lacks or encodes differently.
var gb18030Runs = [...]gb18030Run{
	{0x1e3f, 0x1e3f, 7533}, {0x9fb4, 0x9fb4, 23775}, {0x9fb5, 0x9fb5, 23783}, {0x9fb6, 0x9fb7, 23788},
	{0x9fb8, 0x9fb8, 23795}, {0x9fb9, 0x9fb9, 23812}, {0x9fba, 0x9fba, 23829}, {0x9fbb, 0x9fbb, 23845},
	{0xe000, 0xe05d, 7886}, {0xe05e, 0xe0bb, 8076}, {0xe0bc, 0xe119, 8266}, {0xe11a, 0xe177, 8456},
	{0xe178, 0xe1d5, 8646}, {0xe1d6, 0xe233, 8836}, {0xe234, 0xe291, 22706}, {0xe292, 0xe2ef, 22896},
	{0xe2f0, 0xe34d, 23086}, {0xe34e, 0xe3ab, 23276}, {0xe3ac, 0xe409, 23466}, {0xe40a, 0xe467, 23656},
	{0xe468, 0xe4c5, 23846}, {0xe4c6, 0xe525, 6080}, {0xe526, 0xe585, 6270}, {0xe586, 0xe5e4, 6460},
	{0xe5e6, 0xe645, 6650}, {0xe646, 0xe6a5, 6840}, {0xe6a6, 0xe705, 7030}, {0xe706, 0xe765, 7220},
	{0xe766, 0xe76b, 6376}, {0xe76d, 0xe76d, 6433}, {0xe76e, 0xe76f, 6444}, {0xe770, 0xe771, 6458},
	{0xe772, 0xe77c, 6829}, {0xe77d, 0xe784, 7022}, {0xe785, 0xe78c, 7150}, {0xe78d, 0xe793, 7182},
	{0xe794, 0xe795, 7201}, {0xe796, 0xe796, 7208}, {0xe797, 0xe79f, 7211}, {0xe7a0, 0xe7ae, 7349},
	{0xe7af, 0xe7bb, 7397}, {0xe7bc, 0xe7c6, 7495}, {0xe7c9, 0xe7cc, 7538}, {0xe7cd, 0xe7e1, 7579},
	{0xe7e2, 0xe7e2, 7624}, {0xe7e3, 0xe7e3, 7627}, {0xe7e4, 0xe7e6, 7629}, {0xe7f4, 0xe800, 7686},
	{0xe801, 0xe80f, 7775}, {0xe810, 0xe814, 16525}, {0xe816, 0xe818, 23767}, {0xe81e, 0xe81e, 23775},
	{0xe826, 0xe826, 23783}, {0xe82b, 0xe82c, 23788}, {0xe831, 0xe832, 23794}, {0xe83b, 0xe83b, 23804},
	{0xe843, 0xe843, 23812}, {0xe854, 0xe855, 23829}, {0xe864, 0xe864, 23845}, {0xfe10, 0xfe10, 7182},
	{0xfe11, 0xfe11, 7184}, {0xfe12, 0xfe12, 7183}, {0xfe13, 0xfe16, 7185}, {0xfe17, 0xfe18, 7201},
	{0xfe19, 0xfe19, 7208},
}
