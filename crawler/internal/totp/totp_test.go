package totp

import (
	"fmt"
	"testing"
	"time"
)

func TestOneTimeCodes(t *testing.T) {
	const url = "otpauth://totp/x?digits=8&algorithm=%s&secret=%s"
	keys := map[string]string{
		"SHA1":   "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ",
		"SHA256": "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZA",
		"SHA512": "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNA",
	}
	for _, row := range []struct {
		at              int64
		algorithm, want string
	}{
		{59, "SHA1", "94287082"}, {59, "SHA256", "46119246"}, {59, "SHA512", "90693936"},
		{1111111109, "SHA1", "07081804"}, {1111111109, "SHA256", "68084774"}, {1111111109, "SHA512", "25091201"},
		{1234567890, "SHA1", "89005924"}, {1234567890, "SHA256", "91819424"}, {1234567890, "SHA512", "93441116"},
		{20000000000, "SHA1", "65353130"}, {20000000000, "SHA256", "77737706"}, {20000000000, "SHA512", "47863826"},
	} {
		c, err := New(fmt.Sprintf(url, row.algorithm, keys[row.algorithm]))
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Next(time.Unix(row.at, 0)); got != row.want {
			t.Errorf("%s at %d: %s, want %s", row.algorithm, row.at, got, row.want)
		}
	}
	c, err := New("gezd gnbv-gy3t qojq gezd gnbv gy3t qojq")
	if err != nil {
		t.Fatal(err)
	}
	first, second := c.Next(time.Unix(59, 0)), c.Next(time.Unix(59, 0))
	if first != "287082" || second == first || second != c.at(2) {
		t.Errorf("%s, then %s", first, second)
	}
	for _, wrong := range []string{"otpauth://hotp/x?secret=GEZDGNBV", "otpauth://totp/x?secret=GEZDGNBV&digits=9", "otpauth://totp/x?secret=GEZDGNBV&period=0",
		"otpauth://totp/x?secret=GEZDGNBV&algorithm=MD5", "otpauth://totp/x", "1", "otpauth:%"} {
		if _, err := New(wrong); err == nil {
			t.Errorf("%s is accepted", wrong)
		}
	}
}
