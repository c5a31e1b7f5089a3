package serve

import (
	"context"
	"net/http"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/strictjson"
)

func showMe(c *call) error {
	return c.answer(http.StatusOK)(c.server.service.Accounts.Me(c.Context(), c.who))
}

func changeMe(c *call, body []strictjson.Member) error {
	return c.answer(http.StatusOK)(c.server.service.Accounts.ChangeMe(c.Context(), c.who, body))
}

func sendDigest(c *call) error {
	return c.answer(http.StatusOK)(c.server.service.Digests.Send(c.Context(), c.who))
}

func changePassword(c *call, body []strictjson.Member) error {
	return done(c.w, c.server.service.Accounts.ChangePassword(c.Context(), c.who, body, sessionOf(c.Request), c.server.client(c.Request)))
}

func listSessions(c *call) error {
	return part(c, func(ctx context.Context, after string, limit int) (*api.List[*api.Session], error) {
		return c.server.service.Accounts.Sessions(ctx, c.who, after, limit)
	})
}

func endSession(c *call) error {
	return done(c.w, c.server.service.Accounts.EndSession(c.Context(), c.who, c.PathValue("id")))
}

func listUsers(c *call) error {
	return part(c, c.server.service.Accounts.Users)
}

func addUser(c *call, body []strictjson.Member) error {
	return c.answer(http.StatusCreated)(c.server.service.Accounts.AddUser(c.Context(), body))
}

func changeUser(c *call, body []strictjson.Member) error {
	return c.answer(http.StatusOK)(c.server.service.Accounts.ChangeUser(c.Context(), c.PathValue("name"), body))
}

func removeUser(c *call) error {
	return done(c.w, c.server.service.Accounts.RemoveUser(c.Context(), c.PathValue("name")))
}

func listTokens(c *call) error {
	return part(c, c.server.service.Accounts.Tokens)
}

func addToken(c *call, body []strictjson.Member) error {
	return c.answer(http.StatusCreated)(c.server.service.Accounts.AddToken(c.Context(), body))
}

func removeToken(c *call) error {
	return done(c.w, c.server.service.Accounts.RemoveToken(c.Context(), c.PathValue("name")))
}
