package extract

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/md5"
	"crypto/rc4"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"
	"errors"
)

// pdfCrypt decrypts a file that is encrypted by the standard security handler with an
// empty user password (ISO 32000-2 section 7.6; revisions 2 to 6, RC4 and AES). Anybody
// may open such a file; it only asks viewers not to allow printing, copying or editing.
type pdfCrypt struct {
	key              []byte
	strings, streams pdfCipher
}

// A pdfCipher is the method of a crypt filter (7.6.6).
type pdfCipher uint8

const (
	pdfUnencrypted pdfCipher = iota // Identity
	pdfRC4                          // V2
	pdfAES128                       // AESV2: a key for each object, as with RC4
	pdfAES256                       // AESV3: one key for all objects
)

var (
	errPDFPassword = errors.New("it is encrypted and requires a password")
	errPDFHandler  = errors.New("it is encrypted with an unsupported method")
	errPDFLost     = errors.New("it is encrypted, and the end of the file, which is needed for the key, is missing")
)

// pdfPadding pads passwords to 32 bytes (algorithm 2). It is itself the padded form of the
// empty password.
var pdfPadding = []byte("\x28\xBF\x4E\x5E\x4E\x75\x8A\x41\x64\x00\x4E\x56\xFF\xFA\x01\x08\x2E\x2E\x00\xB6\xD0\x68\x3E\x80\x2F\x0C\xA9\xFE\x64\x53\x69\x7A")

// openPDFCrypt finds the key of a file. Encrypt is the dictionary of that name with its
// values resolved, and id is the first part of the file identifier.
func openPDFCrypt(encrypt pdfDict, id pdfString) (*pdfCrypt, error) {
	if encrypt["Filter"] != pdfName("Standard") {
		return nil, errPDFHandler
	}
	version, _ := encrypt["V"].(int)
	c := &pdfCrypt{}
	switch version {
	case 1, 2:
		c.strings, c.streams = pdfRC4, pdfRC4
	case 4, 5:
		var known bool
		if c.strings, known = pdfCryptFilter(encrypt, "StrF"); !known {
			return nil, errPDFHandler
		}
		if c.streams, known = pdfCryptFilter(encrypt, "StmF"); !known {
			return nil, errPDFHandler
		}
	default:
		return nil, errPDFHandler
	}
	var err error
	if version == 5 {
		c.key, err = pdfFileKey256(encrypt)
	} else {
		c.key, err = pdfFileKey(encrypt, version, id)
	}
	switch {
	case err == errPDFPassword && version < 5 && id == nil:
		return nil, errPDFLost
	case err != nil:
		return nil, err
	}
	return c, nil
}

// pdfCryptFilter returns the cipher for strings or for streams.
func pdfCryptFilter(encrypt pdfDict, use pdfName) (_ pdfCipher, known bool) {
	name, _ := encrypt[use].(pdfName)
	if name == "" || name == "Identity" {
		return pdfUnencrypted, true
	}
	filters, _ := encrypt["CF"].(pdfDict)
	filter, _ := filters[name].(pdfDict)
	switch filter["CFM"] {
	case pdfName("None"):
		return pdfUnencrypted, true
	case pdfName("V2"):
		return pdfRC4, true
	case pdfName("AESV2"):
		return pdfAES128, true
	case pdfName("AESV3"):
		return pdfAES256, true
	}
	return 0, false
}

// pdfFileKey derives the key from the empty password (algorithm 2) and checks whether it
// is the right one (algorithms 4 to 6).
func pdfFileKey(encrypt pdfDict, version int, id pdfString) ([]byte, error) {
	revision, _ := encrypt["R"].(int)
	owner, _ := encrypt["O"].(pdfString)
	user, _ := encrypt["U"].(pdfString)
	permissions, _ := encrypt["P"].(int)
	if len(owner) < 32 || len(user) < 32 || revision < 2 || revision > 4 {
		return nil, errPDFHandler
	}
	length := 5
	switch bits, given := encrypt["Length"].(int); {
	case version == 4:
		length = 16
	case version > 1 && given && bits >= 40 && bits <= 128 && bits%8 == 0:
		length = bits / 8
	}
	h := md5.New()
	h.Write(pdfPadding)
	h.Write(owner[:32])
	h.Write(binary.LittleEndian.AppendUint32(nil, uint32(permissions)))
	h.Write(id)
	if clear, given := encrypt["EncryptMetadata"].(bool); revision >= 4 && given && !clear {
		h.Write([]byte{0xFF, 0xFF, 0xFF, 0xFF})
	}
	key := h.Sum(nil)
	if revision == 2 {
		if key = key[:length]; !bytes.Equal(pdfDecryptRC4(key, pdfPadding), user[:32]) {
			return nil, errPDFPassword
		}
		return key, nil
	}
	for range 50 {
		sum := md5.Sum(key[:length])
		key = sum[:]
	}
	key = key[:length]
	h.Reset()
	h.Write(pdfPadding)
	h.Write(id)
	check, round := h.Sum(nil), make([]byte, length)
	for i := range byte(20) {
		for j, k := range key {
			round[j] = k ^ i
		}
		check = pdfDecryptRC4(round, check)
	}
	if !bytes.Equal(check, user[:16]) {
		return nil, errPDFPassword
	}
	return key, nil
}

// pdfFileKey256 decrypts the key with the empty password (algorithms 2.A and 11).
func pdfFileKey256(encrypt pdfDict) ([]byte, error) {
	revision, _ := encrypt["R"].(int)
	user, _ := encrypt["U"].(pdfString)
	locked, _ := encrypt["UE"].(pdfString)
	if len(user) < 48 || len(locked) < 32 || revision != 5 && revision != 6 {
		return nil, errPDFHandler
	}
	hash := func(salt []byte) []byte {
		sum := sha256.Sum256(salt)
		if revision == 5 {
			return sum[:]
		}
		return pdfHardenedHash(sum[:])
	}
	if !bytes.Equal(hash(user[32:40]), user[:32]) {
		return nil, errPDFPassword
	}
	return pdfDecryptAES(hash(user[40:48]), make([]byte, aes.BlockSize), locked[:32]), nil
}

// pdfHardenedHash computes the hash of revision 6 (algorithm 2.B) for the empty password.
// It takes at least 64 rounds, and about ten more on average.
func pdfHardenedHash(k []byte) []byte {
	for round := 0; ; round++ {
		block, err := aes.NewCipher(k[:16])
		if err != nil {
			return nil // impossible: 16 bytes are a valid key
		}
		e := bytes.Repeat(k, 64)
		cipher.NewCBCEncrypter(block, k[16:32]).CryptBlocks(e, e)
		remainder := 0 // the sum of bytes has the same remainder modulo 3, because 256 mod 3 is 1
		for _, b := range e[:16] {
			remainder += int(b)
		}
		switch remainder % 3 {
		case 0:
			sum := sha256.Sum256(e)
			k = sum[:]
		case 1:
			sum := sha512.Sum384(e)
			k = sum[:]
		case 2:
			sum := sha512.Sum512(e)
			k = sum[:]
		}
		if round >= 63 && int(e[len(e)-1]) <= round-31 {
			return k[:32]
		}
	}
}

// decrypt decrypts a string, or the content of a stream, of an object (algorithms 1 and
// 1.A).
func (c *pdfCrypt) decrypt(with pdfCipher, number, generation int, data []byte) []byte {
	key := c.key
	if with == pdfRC4 || with == pdfAES128 {
		h := md5.New()
		h.Write(key)
		h.Write([]byte{byte(number), byte(number >> 8), byte(number >> 16), byte(generation), byte(generation >> 8)})
		if with == pdfAES128 {
			h.Write([]byte("sAlT"))
		}
		key = h.Sum(nil)[:min(len(key)+5, 16)]
	}
	switch with {
	case pdfRC4:
		return pdfDecryptRC4(key, data)
	case pdfAES128, pdfAES256:
		if len(data) < aes.BlockSize {
			return nil
		}
		return pdfRemovePadding(pdfDecryptAES(key, data[:aes.BlockSize], data[aes.BlockSize:]))
	}
	return data
}

func pdfDecryptRC4(key, data []byte) []byte {
	stream, err := rc4.NewCipher(key)
	if err != nil {
		return nil
	}
	clear := make([]byte, len(data))
	stream.XORKeyStream(clear, data)
	return clear
}

// pdfDecryptAES decrypts the complete blocks of data. An incomplete block at the end is a
// line break, or is due to a truncated file.
func pdfDecryptAES(key, start, data []byte) []byte {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil
	}
	clear := make([]byte, len(data)/aes.BlockSize*aes.BlockSize)
	cipher.NewCBCDecrypter(block, start).CryptBlocks(clear, data[:len(clear)])
	return clear
}

// pdfRemovePadding removes the padding of RFC 8018, if there is any.
func pdfRemovePadding(clear []byte) []byte {
	if n := len(clear); n > 0 {
		if pad := int(clear[n-1]); pad >= 1 && pad <= min(n, aes.BlockSize) {
			return clear[:n-pad]
		}
	}
	return clear
}
