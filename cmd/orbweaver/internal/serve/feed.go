package serve

import (
	"net/http"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/notify"
)

// feed shows the events of a project as a feed.
func feed(c *call) error {
	entries, err := c.server.service.Notices.Entries(c.Context(), c.project.ID)
	if err != nil {
		return err
	}
	text, err := notify.Feed(notify.Project{ID: c.project.ID, Name: c.project.Name}, c.server.origin(c.Request)+c.prefix+"/", c.project.Created, entries)
	if err != nil {
		return err
	}
	return c.raw(http.StatusOK, notify.FeedType, text)
}

// badge shows the result of the last sound run as an image.
func badge(c *call) error {
	broken, err := c.server.service.Notices.Broken(c.Context(), c.project.ID)
	if err != nil {
		return err
	}
	return c.raw(http.StatusOK, notify.BadgeType, notify.Badge(broken))
}

// testNotify sends a test to one of the project's targets.
func testNotify(c *call) error {
	return c.answer(http.StatusOK)(c.server.service.Notices.Test(c.Context(), c.project, c.PathValue("n")))
}
