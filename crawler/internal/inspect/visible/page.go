package visible

import "github.com/orbweaver/orbweaver/crawler/internal/htmltoken"

// OfPage returns the visible text of an HTML page, including its title, which comes first.
func OfPage(source []byte) string {
	var tokens htmltoken.Tokenizer
	var content Content
	tokens.Reset(source, false)
	content.Reset(source)
	for tokens.Next() {
		content.Token(&tokens.Token)
	}
	return string(content.Title.Bytes()) + "\n" + string(content.Text.Bytes())
}
