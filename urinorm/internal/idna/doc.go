// Package idna converts internationalized domain names between Unicode and the
// ASCII form that the DNS uses, as a browser does: domain to ASCII and domain to
// Unicode of the URL Standard, section 3.3.
//
//	AppendASCII   "Faß.example"         to "xn--fa-hia.example"
//	ToUnicode     "xn--fa-hia.example"  to "faß.example"
//
// The processing is that of UTS #46 section 4 with CheckBidi and CheckJoiners,
// without CheckHyphens, UseSTD3ASCIIRules and VerifyDnsLength, nontransitional.
// All tables are of Unicode 17, whatever version the Go release has.
//
//   - idna.go: mapping and conversion of the labels, and the rules that a valid
//     label meets: joiners (RFC 5892) and right-to-left scripts (RFC 5893);
//   - lookup.go: what the tables say about a code point;
//   - nfc.go: Normalization Form C;
//   - punycode.go: the encoding of a label (RFC 3492);
//   - tables.go: reads tables.txt, the data, which tables_gen.go writes.
package idna
