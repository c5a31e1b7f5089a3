package urinorm

import (
	"errors"
	"strings"
	"testing"
)

func TestCheckSyntax(t *testing.T) {
	hash := strings.Repeat("0123456789", 4)
	valid := `
http://h https://h/x ftp://u@h/ ws://h wss://h:1/
mailto: mailto:a@b.example MAILTO:a@b.example?subject=x
urn:example:a
tel:+1-816-555-1212 tel:7042;phone-context=example.com tel:863-1234;phone-context=+1-914-555
tel:+358-555-1234567;postd=pp22 tel:+1(201)555.0123;ext=12;isub=a%20b tel:911 tel:*21# TEL:+1
tel:+1;a;b=c
sms:+15105550101 sms:+15105550101,+15105550102?body=hello%20there sms:+15105550101?body=a&x=y sms:?body=hi sms:+1?&body=hi sms:+1?
geo:13.4125,103.8667 geo:48.2010,16.3695,183 geo:48.198634,16.371648;crs=wgs84;u=40 geo:-90,180
geo:323482,4306480;crs=EPSG:32618;u=20 geo:66,30;u=6.500;FOo=this%2dthat geo:0,0?q=1+Main+St geo:1,2;opt
doi:10.1000/182 doi:10.1000/456%23789 doi:10.1000.10/123 doi:10.1002/(SICI)1097-4571
info:ddc/22/eng//004.678 info:lccn/2002022641 info:ofi/nam: info:sid/a@b#f info:bibcode/
magnet:?xt=urn:btih:` + hash + ` magnet:?dn=x&xt.1=urn:sha1:YNCKHTQCWBTRNJIV4WNAE52SJUQCZO5C
magnet:?xt=urn%3Abtih%3A` + hash + `&tr=udp%3A%2F%2Fh magnet:?xs=http://h/ magnet:?kt=a+b
magnet:?xt=urn:btih:ABCDEFGHIJKLMNOPQRSTUVWXYZ234567 magnet:?xt=urn:btmh:1220` + hash + `012345678901234567890123
data:, data:text/plain,hi data:text/plain;base64,aGk=
javascript:anything nonsense:%%% slack://x file:x
`
	invalid := `
http: http:x http:/x http:///x https://u@:80/ ftp:x ws:// wss:x
mailto:a mailto:@b urn:x urn:isbn:1
tel: tel:+ tel:+1-800-FLOWERS tel:none tel:+1%20816 tel:+1;=x tel:+1;ext= tel:+1;ext=x tel:+1;phone-context=
tel:1;phone-context=+x tel:+1;a=b^ tel:+1;a_=b tel:() tel:+12;; tel:+1;a=%4
sms: sms:x sms:+1,, sms:+1?body sms:+1?=x
geo: geo:1 geo:1,2,3,4 geo:91,0 geo:-90.1,0 geo:0,180.5 geo:a,b geo:1.,2 geo:.5,2 geo:+1,2 geo:1,2;u=x geo:1,2;u=-1
geo:1,2;u=1;crs=wgs84 geo:1,2; geo:1,2;=x geo:1,2;a= geo:91,0;crs=WGS84 geo:1,2;a_b
doi: doi:11.1000/1 doi:10.1000 doi:10.1000/ doi:10./x doi:10.a/x doi:10.1..2/x
info: info:lccn info:/x info:1/x info:lccn/a^ info:lccn/%
magnet: magnet:x magnet:? magnet:?dn=x magnet:?xt= magnet:?xt=x magnet:?xt=urn:btih:123 magnet:?xt=urn:btmh:12
magnet:?xt=urn:btih:0BCDEFGHIJKLMNOPQRSTUVWXYZ234567
data: data:text/plain data:;base64,a data:;base64,%%%%
`
	check := func(list string, want bool) {
		for uri := range strings.FieldsSeq(list) {
			scheme, rest, _ := strings.Cut(uri, ":")
			err := CheckSyntax(scheme, rest)
			if (err == nil) != want {
				t.Errorf("%s: %v", uri, err)
			}
			var whole *Error
			if err != nil && (!errors.As(err, &whole) || whole.op != "check") {
				t.Errorf("%s: %T %v", uri, err, err)
			}
		}
	}
	check(valid, true)
	check(invalid, false)
	if err := CheckSyntax("data", "x"); !errors.Is(err, errDataComma) {
		t.Errorf("data without a comma: %v", err)
	}
	if err := CheckSyntax("tel", "+1 816"); err == nil {
		t.Error("a blank in a number")
	}
	if err := CheckSyntax("data", strings.Repeat("a", MaxReference+1)); !errors.Is(err, ErrTooLong) {
		t.Errorf("without end: %v", err)
	}
}

// Offsets count from the start of the URI.
func TestCheckSyntaxOffset(t *testing.T) {
	for uri, want := range map[string]int{
		"http:///x":           7,
		"tel:+1x":             6,
		"tel:+1;ext=x":        11,
		"tel:+1;a=b^":         10,
		"sms:+1,+2x":          9,
		"sms:+1?a=b&c":        11,
		"geo:1,x":             6,
		"geo:1,2;u=x":         10,
		"doi:11.1/x":          4,
		"info:lccn/a^":        11,
		"magnet:?dn=x&xt=y":   13,
		"urn:ab:c d":          8,
		"mailto:a@b,c":        11,
		"mailto:a@b?c":        11,
		"geo:1,2;u=1;crs=a":   12,
		"tel:1;phone-context": 20,
	} {
		scheme, rest, _ := strings.Cut(uri, ":")
		var fault *SyntaxError
		if err := CheckSyntax(scheme, rest); !errors.As(err, &fault) || fault.Offset != want {
			t.Errorf("%s: %v, want byte %d", uri, err, want)
		}
	}
}
