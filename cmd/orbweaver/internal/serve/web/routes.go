package web

import "github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/auth"

// Route is one row of the table of pages.
type Route struct {
	Method string
	Path   string // segments in braces match any text; {p} and {r} are projects and runs
	Role   auth.Role
	Public bool // needs no credentials
	Handle func(*Call) error
}

// Routes returns the table of pages, without those to sign in and to set up.
func Routes() []Route {
	return []Route{
		{"GET", "/static/{file}", 0, true, static},
		{"GET", "/share/{token}", 0, true, showShare},
		{"GET", "/status/{token}", 0, true, showStatus},
		{"GET", "/", auth.Viewer, false, showDashboard},
		{"GET", "/projects/new", auth.Admin, false, newProject},
		{"POST", "/projects", auth.Admin, false, createProject},
		{"GET", "/projects/{p}", auth.Viewer, false, showProject},
		{"GET", "/projects/{p}/settings", auth.Admin, false, showProjectSettings},
		{"POST", "/projects/{p}/settings", auth.Admin, false, changeProject},
		{"POST", "/projects/{p}/runs", auth.Editor, false, startRun},
		{"POST", "/projects/{p}/marks/{fingerprint}", auth.Editor, false, mark},
		{"POST", "/projects/{p}/marks", auth.Editor, false, bulk},
		{"POST", "/projects/{p}/issues/{id}", auth.Editor, false, changeIssue},
		{"POST", "/projects/{p}/views", auth.Editor, false, changeViews},
		{"GET", "/runs/{r}", auth.Viewer, false, showRun},
		{"POST", "/runs/{r}/stop", auth.Editor, false, stopRun},
		{"POST", "/runs/{r}/resume", auth.Editor, false, resumeRun},
		{"POST", "/runs/{r}/recheck", auth.Editor, false, recheck},
		{"GET", "/runs/{r}/findings", auth.Viewer, false, showFindings},
		{"GET", "/runs/{r}/findings/{id}", auth.Viewer, false, showFinding},
		{"GET", "/runs/{r}/issues/{id}", auth.Viewer, false, showIssue},
		{"GET", "/runs/{r}/export", auth.Viewer, false, export},
		{"GET", "/runs/{r}/pages", auth.Viewer, false, showPages},
		{"GET", "/runs/{r}/pages/view", auth.Viewer, false, showPage},
		{"GET", "/runs/{r}/compare", auth.Viewer, false, showCompare},
		{"GET", "/runs/{r}/map", auth.Viewer, false, showMap},
		{"GET", "/profile", auth.Viewer, false, showProfile},
		{"POST", "/profile", auth.Viewer, false, changeProfile},
		{"GET", "/settings/audit", auth.Admin, false, showAudit},
		{"GET", "/settings", auth.Admin, false, showSettings},
		{"POST", "/settings", auth.Admin, false, changeSettings},
	}
}
