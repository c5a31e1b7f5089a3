package serve

import (
	"net/http"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
)

func showMe(c *call) error {
	me, err := c.server.service.Accounts.Me(c.Context(), c.who)
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, me)
}

func changeMe(c *call) error {
	body, err := c.members()
	if err != nil {
		return err
	}
	me, err := c.server.service.Accounts.ChangeMe(c.Context(), c.who, body)
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, me)
}

func sendDigest(c *call) error {
	sent, err := c.server.service.Digests.Send(c.Context(), c.who)
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, sent)
}

func changePassword(c *call) error {
	body, err := c.members()
	if err != nil {
		return err
	}
	return done(c.w, c.server.service.Accounts.ChangePassword(c.Context(), c.who, body, sessionOf(c.Request), c.server.client(c.Request)))
}

func listSessions(c *call) error {
	return part(c, func(after string, limit int) (*api.List[*api.Session], error) {
		return c.server.service.Accounts.Sessions(c.Context(), c.who, after, limit)
	})
}

func endSession(c *call) error {
	return done(c.w, c.server.service.Accounts.EndSession(c.Context(), c.who, c.PathValue("id")))
}

func listUsers(c *call) error {
	return part(c, func(after string, limit int) (*api.List[*api.User], error) {
		return c.server.service.Accounts.Users(c.Context(), after, limit)
	})
}

func addUser(c *call) error {
	body, err := c.members()
	if err != nil {
		return err
	}
	u, err := c.server.service.Accounts.AddUser(c.Context(), body)
	if err != nil {
		return err
	}
	return c.json(http.StatusCreated, u)
}

func changeUser(c *call) error {
	body, err := c.members()
	if err != nil {
		return err
	}
	u, err := c.server.service.Accounts.ChangeUser(c.Context(), c.PathValue("name"), body)
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, u)
}

func removeUser(c *call) error {
	return done(c.w, c.server.service.Accounts.RemoveUser(c.Context(), c.PathValue("name")))
}

func listTokens(c *call) error {
	return part(c, func(after string, limit int) (*api.List[*api.Token], error) {
		return c.server.service.Accounts.Tokens(c.Context(), after, limit)
	})
}

func addToken(c *call) error {
	body, err := c.members()
	if err != nil {
		return err
	}
	t, err := c.server.service.Accounts.AddToken(c.Context(), body)
	if err != nil {
		return err
	}
	return c.json(http.StatusCreated, t)
}

func removeToken(c *call) error {
	return done(c.w, c.server.service.Accounts.RemoveToken(c.Context(), c.PathValue("name")))
}
