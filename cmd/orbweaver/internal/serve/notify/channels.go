package notify

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"
)

// channel is a way to tell people through a service.
type channel struct {
	needs, takes []string // the members of a target that must and may be given
	request      func(*Target, *Event, string) (*outgoing, error)
}

// outgoing is one request to a channel.
type outgoing struct {
	method string // POST if empty
	url    string
	header map[string]string
	body   any
}

// channels are the types of targets but webhook, slack and email. The request gets an identifier that
// is the same in each try.
var channels = map[string]channel{
	"teams": {needs: []string{"url"}, request: func(t *Target, e *Event, _ string) (*outgoing, error) {
		return &outgoing{url: t.URL, body: teamsMessage(e)}, nil
	}},
	"discord": {needs: []string{"url"}, request: func(t *Target, e *Event, _ string) (*outgoing, error) {
		text := e.brief(e.Title(), 2000, utf8.RuneCountInString, codeSpan)
		return &outgoing{url: t.URL, body: object{"content": text, "allowed_mentions": object{"parse": []string{}}}}, nil
	}},
	"mattermost": {needs: []string{"url"}, request: func(t *Target, e *Event, _ string) (*outgoing, error) {
		return &outgoing{url: t.URL, body: object{"text": e.brief(e.Title(), 16_000, utf8.RuneCountInString, codeSpan)}}, nil
	}},
	"gotify": {needs: []string{"url", "token"}, request: func(t *Target, e *Event, _ string) (*outgoing, error) {
		body := object{"title": callsNobody(e.Title()), "message": e.brief("", 16_000, byteCount, callsNobody), "priority": 5,
			"extras": object{"client::notification": object{"click": object{"url": e.URL}}}}
		return &outgoing{url: below(t.URL, "message"), header: map[string]string{"X-Gotify-Key": t.Token}, body: body}, nil
	}},
	"ntfy": {needs: []string{"url", "topic"}, takes: []string{"token"}, request: func(t *Target, e *Event, _ string) (*outgoing, error) {
		body := object{"topic": t.Topic, "title": callsNobody(e.Title()), "message": e.brief("", 4096, byteCount, callsNobody)}
		if e.URL != "" {
			body["click"] = e.URL
		}
		return &outgoing{url: t.URL, header: bearer(t.Token), body: body}, nil
	}},
	"telegram": {needs: []string{"chat", "token"}, takes: []string{"url"}, request: func(t *Target, e *Event, _ string) (*outgoing, error) {
		base := t.URL
		if base == "" {
			base = "https://api.telegram.org"
		}
		body := object{"chat_id": t.Chat, "text": e.brief(e.Title(), 4096, utf16Count, callsNobody), "link_preview_options": object{"is_disabled": true}}
		return &outgoing{url: below(base, "bot"+url.PathEscape(t.Token), "sendMessage"), body: body}, nil
	}},
	"matrix": {needs: []string{"url", "room", "token"}, request: func(t *Target, e *Event, id string) (*outgoing, error) {
		body := object{"msgtype": "m.text", "body": e.brief(e.Title(), 16_000, byteCount, callsNobody)}
		return &outgoing{method: http.MethodPut, url: below(t.URL, "_matrix/client/v3/rooms", url.PathEscape(t.Room), "send/m.room.message", id), header: bearer(t.Token), body: body}, nil
	}},
}

type object = map[string]any

// below returns an address below another.
func below(base string, parts ...string) string {
	return strings.TrimRight(base, "/") + "/" + strings.Join(parts, "/")
}

func bearer(token string) map[string]string {
	if token == "" {
		return nil
	}
	return map[string]string{"Authorization": "Bearer " + token}
}

// maxBrief is the number of findings that a message to a channel lists.
const maxBrief = 10

// brief returns an event as text of at most limit units: the title, unless empty, what happened, the
// findings, and the address of the page. safe makes markup and mentions of a text from elsewhere
// plain. What does not fit is left out from the end of the findings.
func (e *Event) brief(title string, limit int, size func(string) int, safe func(string) string) string {
	list, _ := e.listed()
	list = list[:min(len(list), maxBrief)]
	for {
		text := e.briefOf(title, list, safe)
		if size(text) <= limit {
			return text
		}
		if len(list) > 0 {
			list = list[:len(list)-1]
			continue
		}
		if cut := 200; len(title) > cut { // a long name of a project
			title = strings.ToValidUTF8(title[:cut], "") + "…"
			continue
		}
		return e.Project.ID + ": " + string(e.Kind) + "\n" + e.URL
	}
}

func (e *Event) briefOf(title string, list []Finding, safe func(string) string) string {
	var b strings.Builder
	if title != "" {
		b.WriteString(safe(title) + "\n")
	}
	for _, p := range e.paragraphs() {
		if e.Kind == Unsound {
			p = safe(p)
		}
		b.WriteString(p + "\n")
	}
	for _, f := range list {
		b.WriteString("- " + safe(oneLine(f.URL)+" ("+oneLine(f.Code)+")") + "\n")
	}
	if more := e.total() - len(list); more > 0 {
		fmt.Fprintf(&b, "and %d more\n", more)
	}
	return strings.TrimSuffix(b.String()+e.URL, "\n")
}

// total returns the number of findings of the event.
func (e *Event) total() int {
	list, more := e.listed()
	return len(list) + more
}

func byteCount(s string) int { return len(s) }

// utf16Count counts as Telegram does.
func utf16Count(s string) int {
	n := 0
	for _, r := range s {
		if n++; r > 0xFFFF {
			n++
		}
	}
	return n
}

// callsNobody makes mentions of people and groups plain text: an invisible character follows the sign.
var callsNobody = strings.NewReplacer("@", "@\u200b", "<!", "<\u200b!").Replace

// codeSpan makes a text plain in Markdown.
func codeSpan(s string) string {
	return "`" + callsNobody(strings.ReplaceAll(s, "`", "'")) + "`"
}

// cardText makes a text plain in an Adaptive Card, whose texts have some Markdown and mentions in angle
// brackets.
var cardText = strings.NewReplacer(`\`, `\\`, "*", `\*`, "[", `\[`, "]", `\]`, "`", "'", "<", "‹", ">", "›", "@", "@\u200b").Replace

// teamsLimit is the size of a message to Teams, in bytes of JSON.
const teamsLimit = 28_000

// teamsMessage returns the message with one Adaptive Card that a Workflow takes.
func teamsMessage(e *Event) object {
	size := func(text string) int {
		body, err := json.Marshal(text)
		if err != nil {
			return teamsLimit
		}
		return 3 * len(body) // the text is in blocks, and some characters are written longer
	}
	plain := *e
	plain.URL = ""
	var blocks []object
	for i, line := range strings.Split(plain.brief(e.Title(), teamsLimit-2000, size, cardText), "\n") {
		block := object{"type": "TextBlock", "text": line, "wrap": true}
		if i == 0 {
			block["weight"], block["size"] = "Bolder", "Medium"
		}
		blocks = append(blocks, block)
	}
	content := object{"$schema": "http://adaptivecards.io/schemas/adaptive-card.json", "type": "AdaptiveCard", "version": "1.4", "body": blocks}
	if e.URL != "" {
		content["actions"] = []object{{"type": "Action.OpenUrl", "title": e.linkText(), "url": e.URL}}
	}
	return object{"type": "message", "attachments": []object{{"contentType": "application/vnd.microsoft.card.adaptive", "content": content}}}
}
