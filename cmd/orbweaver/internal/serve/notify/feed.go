package notify

import (
	"bytes"
	"encoding/xml"
	"time"
)

// FeedType is the media type of a feed.
const FeedType = "application/atom+xml; charset=utf-8"

// MaxEntries is the number of entries of a feed.
const MaxEntries = 50

// Entry is an event that was decided.
type Entry struct {
	ID      int64
	Project string
	Run     string
	Kind    Kind
	Created time.Time
	Title   string
	Text    string
	Path    string // of the page that compares, relative to the server's root
}

// Feed returns the Atom feed (RFC 4287) of a project. base is the absolute URL of the
// server's root, and entries are sorted, newest first.
func Feed(project Project, base string, created time.Time, entries []Entry) ([]byte, error) {
	type link struct {
		Rel  string `xml:"rel,attr,omitempty"`
		Type string `xml:"type,attr,omitempty"`
		Href string `xml:"href,attr"`
	}
	type content struct {
		Type string `xml:"type,attr"`
		Text string `xml:",chardata"`
	}
	type entry struct {
		ID      string  `xml:"id"`
		Title   string  `xml:"title"`
		Updated string  `xml:"updated"`
		Link    link    `xml:"link"`
		Content content `xml:"content"`
	}
	feed := struct {
		XMLName xml.Name `xml:"http://www.w3.org/2005/Atom feed"`
		ID      string   `xml:"id"`
		Title   string   `xml:"title"`
		Updated string   `xml:"updated"`
		Author  string   `xml:"author>name"`
		Link    link     `xml:"link"`
		Entries []entry  `xml:"entry"`
	}{
		ID: base + "projects/" + project.ID, Title: "Links of " + oneLine(project.Name), Author: "Orbweaver",
		Link: link{Rel: "alternate", Type: "text/html", Href: base + "projects/" + project.ID},
	}
	updated := created
	for i, e := range entries[:min(len(entries), MaxEntries)] {
		if i == 0 {
			updated = e.Created
		}
		page := base + e.Path
		feed.Entries = append(feed.Entries, entry{
			ID: base + "runs/" + e.Run + "#" + string(e.Kind), Title: e.Title, Updated: e.Created.UTC().Format(time.RFC3339),
			Link: link{Rel: "alternate", Type: "text/html", Href: page}, Content: content{"text", e.Text},
		})
	}
	feed.Updated = updated.UTC().Format(time.RFC3339)
	var b bytes.Buffer
	b.WriteString(xml.Header)
	if err := xml.NewEncoder(&b).Encode(feed); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
