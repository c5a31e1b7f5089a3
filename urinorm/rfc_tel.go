package urinorm

import (
	"slices"
	"strings"
)

func telError(rule string, offset int, reason string) error {
	return &SyntaxError{"RFC 3966", rule, offset, reason}
}

// checkTel checks telephone-subscriber = global-number / local-number (RFC 3966
// section 3). The phone-context of a local number may be missing.
func checkTel(rest string) error {
	return checkSubscriber(rest, len("tel:"))
}

// checkSMS checks sms-recipient *( "," sms-recipient ) [ "?" sms-fields ] (RFC 5724
// section 2.2), each recipient a telephone-subscriber.
func checkSMS(rest string) error {
	offset := len("sms:")
	recipients, fields, hasFields := strings.Cut(rest, "?")
	if recipients != "" || !hasFields {
		for recipient := range strings.SplitSeq(recipients, ",") {
			if err := checkSubscriber(recipient, offset); err != nil {
				return err
			}
			offset += len(recipient) + 1
		}
	}
	if !hasFields {
		return nil
	}
	offset = len("sms:") + len(recipients) + 1
	for field := range strings.SplitSeq(fields, "&") {
		// An empty field is allowed: pages write "?&body=" to suit all telephones.
		if name, _, found := strings.Cut(field, "="); field != "" && (!found || name == "") {
			return &SyntaxError{"RFC 5724", "sms-field", offset, "a field has the form name=value"}
		}
		offset += len(field) + 1
	}
	return nil
}

// checkSubscriber checks a number and its parameters. offset is that of s in the
// URI.
func checkSubscriber(s string, offset int) error {
	number, parameters, hasParameters := strings.Cut(s, ";")
	digits := 0
	global := strings.HasPrefix(number, "+")
	for i := range len(number) {
		c := number[i]
		switch {
		case i == 0 && c == '+':
		case rfcIs(c, rfcDigit):
			digits++
		case !global && (rfcIs(c, rfcHex) || c == '*' || c == '#'):
			digits++
		case !isVisualSeparator(c):
			return telError(telRule(global), offset+i, rfcShowChar(number[i:])+" is not allowed in a number")
		}
	}
	if digits == 0 {
		return telError(telRule(global), offset, "a number needs at least one digit")
	}
	if !hasParameters {
		return nil
	}
	offset += len(number) + 1
	for parameter := range strings.SplitSeq(parameters, ";") {
		if err := checkTelParameter(parameter, offset); err != nil {
			return err
		}
		offset += len(parameter) + 1
	}
	return nil
}

func telRule(global bool) string {
	if global {
		return "global-number"
	}
	return "local-number"
}

// isVisualSeparator reports whether c is visual-separator = "-" / "." / "(" / ")"
func isVisualSeparator(c byte) bool { return c == '-' || c == '.' || c == '(' || c == ')' }

// checkTelParameter checks parameter = ";" pname ["=" pvalue ], without its ';', and
// the rules of ext and phone-context.
func checkTelParameter(s string, offset int) error {
	name, value, hasValue := strings.Cut(s, "=")
	if name == "" {
		return telError("parameter", offset, "the parameter has no name")
	}
	for i := range len(name) {
		if !rfcIs(name[i], rfcAlpha|rfcDigit) && name[i] != '-' {
			return telError("pname", offset+i, rfcShowChar(name[i:])+" is not allowed in a parameter's name")
		}
	}
	valueAt := offset + len(name) + 1
	if hasValue && value == "" {
		return telError("pvalue", valueAt, "the value is empty")
	}
	switch rfcLowerASCII(name) {
	case "ext":
		if digits := strings.Trim(value, "0123456789-.()"); digits != "" || value == "" {
			return telError("extension", valueAt, "an extension consists of digits")
		}
	case "phone-context":
		global := strings.TrimPrefix(value, "+")
		if value == "" || len(global) < len(value) && strings.Trim(global, "0123456789-.()") != "" {
			return telError("descriptor", valueAt, "a phone-context is a domain name or a global number")
		}
	}
	for i := 0; i < len(value); i++ {
		c := value[i]
		if c == '%' && i+2 < len(value) && rfcIs(value[i+1], rfcHex) && rfcIs(value[i+2], rfcHex) {
			i += 2
			continue
		}
		if !rfcIs(c, rfcUnreserved) && strings.IndexByte("[]/:&+$!'()*", c) < 0 {
			return telError("paramchar", valueAt+i, rfcShowChar(value[i:])+" is not allowed in a value")
		}
	}
	return nil
}

// telEquivalence ignores visual separators, letter case and the order of parameters
// (RFC 3966 section 4).
func telEquivalence(r *Reference) {
	recipients := strings.Split(r.Path, ",")
	for i, recipient := range recipients {
		parts := strings.Split(rfcLowerOutsidePercent(recipient), ";")
		parts[0] = withoutSeparators(parts[0])
		for j, parameter := range parts[1:] {
			name, value, found := strings.Cut(parameter, "=")
			if found && (name == "ext" || name == "phone-context" && strings.HasPrefix(value, "+")) {
				parts[j+1] = name + "=" + withoutSeparators(value)
			}
		}
		slices.Sort(parts[1:])
		recipients[i] = strings.Join(parts, ";")
	}
	r.Path = strings.Join(recipients, ",")
}

func withoutSeparators(number string) string {
	return strings.Map(func(c rune) rune {
		if c < 0x80 && isVisualSeparator(byte(c)) {
			return -1
		}
		return c
	}, number)
}
