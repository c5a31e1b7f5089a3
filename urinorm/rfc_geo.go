package urinorm

import (
	"strconv"
	"strings"
)

// The parts of a geo URI (RFC 5870 section 3.3):
//
//	geo:48.2010,16.3695,183;crs=wgs84;u=40
//	    └──┬──┘ └──┬──┘ └┬┘ └──┬────┘ └┬─┘
//	    coord-a coord-b  c    crsp    uncp

func geoError(rule string, offset int, reason string) error {
	return &SyntaxError{"RFC 5870", rule, len("geo:") + offset, reason}
}

// checkGeo checks coordinates and parameters. In WGS 84, the default, latitudes are
// from -90 to 90 and longitudes from -180 to 180 degrees (section 3.4.2).
func checkGeo(rest string) error {
	coordinates, parameters, hasParameters := strings.Cut(rfcWithoutTail(rest), ";")
	numbers := strings.Split(coordinates, ",")
	if len(numbers) < 2 || len(numbers) > 3 {
		return geoError("coordinates", 0, "there must be two or three numbers separated by commas")
	}
	at := 0
	for _, number := range numbers {
		if !isGeoNumber(number, true) {
			return geoError("num", at, strconv.Quote(number)+" is not a decimal number")
		}
		at += len(number) + 1
	}
	if hasParameters {
		wgs84, err := checkGeoParameters(parameters, at)
		if err != nil || !wgs84 {
			return err
		}
	}
	if !withinDegrees(numbers[0], 90) {
		return geoError("coord-a", 0, "the latitude is not between -90 and 90")
	}
	if !withinDegrees(numbers[1], 180) {
		return geoError("coord-b", len(numbers[0])+1, "the longitude is not between -180 and 180")
	}
	return nil
}

// checkGeoParameters checks p = [ crsp ] [ uncp ] *parameter. It reports whether
// the coordinates are those of WGS 84. at is the offset of s after "geo:".
func checkGeoParameters(s string, at int) (wgs84 bool, err error) {
	wgs84 = true
	for i, parameter := range strings.Split(s, ";") {
		name, value, hasValue := strings.Cut(parameter, "=")
		name = rfcLowerASCII(name)
		switch {
		case name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "":
			return wgs84, geoError("pname", at, "the name of a parameter is empty or invalid")
		case hasValue && value == "":
			return wgs84, geoError("pvalue", at+len(name)+1, "the value is empty")
		case name == "crs" && i > 0:
			return wgs84, geoError("crsp", at, "crs must be the first parameter")
		case name == "crs":
			wgs84 = strings.EqualFold(value, "wgs84")
		case name == "u" && !isGeoNumber(value, false):
			return wgs84, geoError("uval", at+len("u="), "the uncertainty is not a decimal number")
		}
		at += len(parameter) + 1
	}
	return wgs84, nil
}

// isGeoNumber reports whether s is num = [ "-" ] 1*DIGIT [ "." 1*DIGIT ]
func isGeoNumber(s string, signed bool) bool {
	if signed {
		s = strings.TrimPrefix(s, "-")
	}
	whole, fraction, hasFraction := strings.Cut(s, ".")
	return whole != "" && strings.Trim(whole, "0123456789") == "" &&
		(!hasFraction || fraction != "" && strings.Trim(fraction, "0123456789") == "")
}

func withinDegrees(number string, limit float64) bool {
	degrees, err := strconv.ParseFloat(number, 64)
	return err == nil && -limit <= degrees && degrees <= limit
}

// geoEquivalence compares numbers by value and ignores letter case. A crs of wgs84
// is the default, a longitude of -180 equals 180, and at a pole all longitudes are
// equal (RFC 5870 section 3.4.4).
func geoEquivalence(r *Reference) {
	coordinates, parameters, _ := strings.Cut(rfcLowerASCII(r.Path), ";")
	numbers := strings.Split(coordinates, ",")
	for i, number := range numbers {
		numbers[i] = shortestNumber(number)
	}
	kept := []string{}
	for parameter := range strings.SplitSeq(parameters, ";") {
		if parameter == "" || parameter == "crs=wgs84" {
			continue
		}
		if value, ok := strings.CutPrefix(parameter, "u="); ok {
			parameter = "u=" + shortestNumber(value)
		}
		kept = append(kept, parameter)
	}
	r.Path = strings.Join(append([]string{strings.Join(numbers, ",")}, kept...), ";")
	if len(numbers) < 2 || len(kept) > 0 && strings.HasPrefix(kept[0], "crs=") {
		return
	}
	switch {
	case numbers[0] == "90" || numbers[0] == "-90":
		numbers[1] = "0"
	case numbers[1] == "-180":
		numbers[1] = "180"
	}
	r.Path = strings.Join(append([]string{strings.Join(numbers, ",")}, kept...), ";")
}

// shortestNumber removes the insignificant zeros of a decimal number.
func shortestNumber(s string) string {
	if !isGeoNumber(s, true) {
		return s
	}
	digits, negative := strings.CutPrefix(s, "-")
	whole, fraction, _ := strings.Cut(digits, ".")
	whole = strings.TrimLeft(whole, "0")
	fraction = strings.TrimRight(fraction, "0")
	if whole == "" {
		whole = "0"
	}
	if fraction != "" {
		whole += "." + fraction
	}
	if negative && whole != "0" {
		return "-" + whole
	}
	return whole
}
