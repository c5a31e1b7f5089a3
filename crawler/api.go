package crawler

import (
	"github.com/orbweaver/orbweaver/crawler/internal/verdicts"
	"github.com/orbweaver/orbweaver/crawler/rules"
)

// Package rules declares what a caller gives to a run and gets from it, as all packages
// of the engine need it. These are the names for callers.
type (
	Config = rules.Config
	Seed   = rules.Seed
	Rule   = rules.Rule
	Remap  = rules.Remap

	Renderer = rules.Renderer

	TextPattern = rules.TextPattern

	Show       = rules.Show
	ScopeRule  = rules.ScopeRule
	External   = rules.External
	RobotsMode = rules.RobotsMode
	RenderMode = rules.RenderMode

	Sink          = rules.Sink
	Kind          = rules.Kind
	FindingCounts = rules.FindingCounts
	Result        = rules.Result
	Hop           = rules.Hop
	Reference     = rules.Reference
	Place         = rules.Place
	Page          = rules.Page
	Edge          = rules.Edge
	Summary       = rules.Summary
	Tally         = rules.Tally
	Note          = rules.Note
	Progress      = rules.Progress
	InFlight      = rules.InFlight
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

// The kinds of results.
const (
	KindTarget = rules.KindTarget
	KindPage   = rules.KindPage
)

// CommandLine is the Page of a target that the user named.
const CommandLine = rules.CommandLine

// Wayback is the address of the Wayback Machine, for Config.Archive.
const Wayback = verdicts.Wayback
