package idna

import "math"

// The parameters of RFC 3492 section 5.
const (
	punycodeBase        = 36
	punycodeTMin        = 1
	punycodeTMax        = 26
	punycodeSkew        = 38
	punycodeDamp        = 700
	punycodeInitialBias = 72
	punycodeInitialN    = 128
)

// appendPunycode appends a label, encoded by RFC 3492 section 6.3. The label has
// at most MaxLabel code points, so that delta cannot overflow.
func appendPunycode(dst []byte, label []rune) []byte {
	start := len(dst)
	for _, r := range label {
		if r < punycodeInitialN {
			dst = append(dst, byte(r))
		}
	}
	basic := len(dst) - start
	if basic > 0 {
		dst = append(dst, '-')
	}
	n, delta, bias := rune(punycodeInitialN), 0, punycodeInitialBias
	for handled := basic; handled < len(label); {
		next := rune(math.MaxInt32)
		for _, r := range label {
			if r >= n {
				next = min(next, r)
			}
		}
		delta += int(next-n) * (handled + 1)
		n = next
		for _, r := range label {
			if r < n {
				delta++
			}
			if r != n {
				continue
			}
			q := delta
			for k := punycodeBase; ; k += punycodeBase {
				t := punycodeThreshold(k, bias)
				if q < t {
					dst = append(dst, punycodeDigit(q))
					break
				}
				dst = append(dst, punycodeDigit(t+(q-t)%(punycodeBase-t)))
				q = (q - t) / (punycodeBase - t)
			}
			bias = punycodeAdapt(delta, handled+1, handled == basic)
			delta = 0
			handled++
		}
		delta++
		n++
	}
	return dst
}

// decodePunycode decodes a label without its "xn--" (RFC 3492 section 6.2).
func decodePunycode(encoded []rune) (label []rune, ok bool) {
	rest := encoded
	for i := len(encoded) - 1; i > 0; i-- {
		if encoded[i] == '-' {
			label, rest = append(label, encoded[:i]...), encoded[i+1:]
			break
		}
	}
	n, i, bias := punycodeInitialN, 0, punycodeInitialBias
	for len(rest) > 0 {
		before, weight := i, 1
		for k := punycodeBase; ; k += punycodeBase {
			if len(rest) == 0 {
				return nil, false
			}
			digit, ok := punycodeValue(rest[0])
			if !ok || digit > (math.MaxInt32-i)/weight {
				return nil, false
			}
			rest = rest[1:]
			i += digit * weight
			t := punycodeThreshold(k, bias)
			if digit < t {
				break
			}
			if weight > math.MaxInt32/(punycodeBase-t) {
				return nil, false
			}
			weight *= punycodeBase - t
		}
		length := len(label) + 1
		bias = punycodeAdapt(i-before, length, before == 0)
		n += i / length
		i %= length
		if n > 0x10FFFF {
			return nil, false
		}
		label = append(label, 0)
		copy(label[i+1:], label[i:])
		label[i] = rune(n)
		i++
	}
	return label, true
}

func punycodeThreshold(k, bias int) int {
	return min(max(k-bias, punycodeTMin), punycodeTMax)
}

// punycodeAdapt is the bias adaptation of RFC 3492 section 6.1.
func punycodeAdapt(delta, length int, first bool) int {
	if first {
		delta /= punycodeDamp
	} else {
		delta /= 2
	}
	delta += delta / length
	k := 0
	for delta > (punycodeBase-punycodeTMin)*punycodeTMax/2 {
		delta /= punycodeBase - punycodeTMin
		k += punycodeBase
	}
	return k + (punycodeBase-punycodeTMin+1)*delta/(delta+punycodeSkew)
}

func punycodeDigit(n int) byte {
	if n < 26 {
		return byte('a' + n)
	}
	return byte('0' + n - 26)
}

func punycodeValue(r rune) (int, bool) {
	switch {
	case 'a' <= r && r <= 'z':
		return int(r - 'a'), true
	case 'A' <= r && r <= 'Z':
		return int(r - 'A'), true
	case '0' <= r && r <= '9':
		return int(r-'0') + 26, true
	}
	return 0, false
}
