package findings

import (
	"database/sql/driver"
	"strings"

	"modernc.org/sqlite"
)

// contains returns the condition that a text, of which letters have any case, is part of one of two
// columns, and the pattern for each.
func contains(a, b, text string) (term, pattern string) {
	const most = 10_000 // SQLite refuses a pattern of 50,000 bytes, and no URL that is listed has as many
	text = text[:min(len(text), most)]
	if strings.ContainsFunc(text, func(r rune) bool { return r > '~' }) { // LIKE knows the case of ASCII letters alone
		return "(" + hasText + "(" + a + ", ?) OR " + hasText + "(" + b + ", ?))", strings.ToLower(text)
	}
	pattern = "%" + likeEscapes.Replace(text) + "%"
	return "(" + a + ` LIKE ? ESCAPE '\' OR ` + b + ` LIKE ? ESCAPE '\')`, pattern
}

var likeEscapes = strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`)

// hasText is the function that reports whether a text contains another one, which is in lower case.
const hasText = "orbweaver_has_text"

func init() { // a connection has the functions that are known when it is opened
	sqlite.MustRegisterDeterministicScalarFunction(hasText, 2, func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
		text, _ := args[0].(string)
		part, _ := args[1].(string)
		return strings.Contains(strings.ToLower(text), part), nil
	})
}
