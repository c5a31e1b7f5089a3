package clamd

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Outcome is what is known about a body.
type Outcome int

const (
	// Unscanned means that it is unknown whether the body is infected.
	Unscanned Outcome = iota
	// Clean means that clamd scanned the body and found nothing.
	Clean
	// Found means that the body has one of clamd's signatures.
	Found
)

// Result is the outcome for one body.
type Result struct {
	Outcome   Outcome
	Signature string // its name in the database, if Outcome is Found
	Reason    string // why the body was not scanned, if Outcome is Unscanned
}

func unscanned(reason string) Result { return Result{Outcome: Unscanned, Reason: reason} }

// TooLong returns why a body of more than limit bytes is not scanned.
func TooLong(limit int64) string {
	if limit >= 1<<20 && limit%(1<<20) == 0 {
		return fmt.Sprintf("the body is longer than %d MiB", limit>>20)
	}
	return fmt.Sprintf("the body is longer than %d bytes", limit)
}

// limitExceeded begins the name under which clamd reports a body that it scanned in part or
// not at all because of a limit such as MaxFileSize, and in which it found nothing. It does
// so only with the setting AlertExceedsMax; otherwise it calls such a body clean.
const limitExceeded = "Heuristics.Limits.Exceeded"

// parseAnswer reads an answer to INSTREAM without its final NUL. An answer with the word FOUND is
// an infection, whatever is around the word, unless it ends as an error.
func parseAnswer(answer string) Result {
	if answer == "stream: OK" {
		return Result{Outcome: Clean}
	}
	words := strings.TrimPrefix(answer, "stream: ")
	if reason, ok := strings.CutSuffix(words, " ERROR"); ok && reason != "" && isPrintable(answer) {
		return unscanned("clamd answered: " + reason)
	}
	signature, isFound := strings.CutSuffix(words, " FOUND")
	switch {
	case strings.HasSuffix(answer, " ERROR"):
	case isFound && isPrintable(answer) && strings.HasPrefix(signature, limitExceeded):
		return unscanned("clamd did not scan all of the body: " + signature)
	case isFound && isPrintable(answer) && strings.TrimSpace(signature) != "":
		return Result{Outcome: Found, Signature: signature}
	case slices.Contains(strings.Fields(answer), "FOUND"):
		return Result{Outcome: Found, Signature: fmt.Sprintf("a signature with an unusual name (clamd answered %.100q)", answer)}
	}
	return unscanned(fmt.Sprintf("clamd answered %.100q, which is not an answer to INSTREAM", answer))
}

// isPrintable reports whether s can be part of a message as it is.
func isPrintable(s string) bool {
	return utf8.ValidString(s) && strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) < 0
}

// databaseDate returns the date at the end of an answer to VERSION, such as
// "ClamAV 1.4.6/27500/Mon Nov 23 08:49:26 2026". clamd prints its local time, which is taken
// for the local time here. Without an official database there is no date.
func databaseDate(version string) (date time.Time, ok bool) {
	_, rest, _ := strings.Cut(version, "/")
	_, text, _ := strings.Cut(rest, "/")
	date, err := time.ParseInLocation(time.ANSIC, text, time.Local)
	return date, err == nil
}
