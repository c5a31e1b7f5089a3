package crawler

import (
	"context"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/admit"
	"github.com/orbweaver/orbweaver/crawler/internal/verdicts"
	"github.com/orbweaver/orbweaver/crawler/rules"
)

// Package rules declares what a caller gives to a run and gets from it, as all packages
// of the engine need it. These are the names for callers.
type (
	Config = rules.Config
	Login  = rules.Login

	ScopeRules = rules.ScopeRules
	Limits     = rules.Limits
	Politeness = rules.Politeness
	Reading    = rules.Reading
	Judging    = rules.Judging
	Render     = rules.Render
	Keep       = rules.Keep
	Deliver    = rules.Deliver

	Seed  = rules.Seed
	Rule  = rules.Rule
	Remap = rules.Remap

	Renderer = rules.Renderer

	TextPattern = rules.TextPattern

	ScopeRule  = rules.ScopeRule
	External   = rules.External
	RobotsMode = rules.RobotsMode
	RenderMode = rules.RenderMode
)

// The values of a Config's ScopeRule, External, RobotsMode and RenderMode.
const (
	ScopePath   = rules.ScopePath
	ScopeHost   = rules.ScopeHost
	ScopeDomain = rules.ScopeDomain
	ScopePage   = rules.ScopePage

	CheckExternal = rules.CheckExternal
	SkipExternal  = rules.SkipExternal

	RobotsCrawl  = rules.RobotsCrawl
	RobotsStrict = rules.RobotsStrict
	RobotsIgnore = rules.RobotsIgnore

	RenderUnset  = rules.RenderUnset
	RenderNever  = rules.RenderNever
	RenderAuto   = rules.RenderAuto
	RenderAlways = rules.RenderAlways
)

// Get requests a document that the user named, without a crawl. It follows no redirect. The
// error is a *fetch.Fault, or that of the context.
func Get(ctx context.Context, by fetch.Fetcher, req *fetch.Request) (*fetch.Response, error) {
	return admit.Single(by).Get(ctx, admit.Named, req)
}

// Wayback is the address of the Wayback Machine, for Config.Archive.
const Wayback = verdicts.Wayback
