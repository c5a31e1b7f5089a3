// Package check turns what a request brought back into verdicts.
//
// A fetch's answer becomes an [Outcome]: an observation that knows nothing of who
// linked to the target. [Outcome.Judge] then gives one verdict for one question:
// is this target, with this fragment, from this side, all right?
//
//	fetch.Response ─ Observe ──────┐
//	fetch.Fault ──── ObserveFault ─┤
//	a rule ───────── Skip ─────────┼─> Outcome ─ Judge(Question) ─> Judgement
//	mailto:, tel: … ─ CheckMailto, ┘      │
//	                 UncheckedScheme      └─ AppendOutcome ─> bytes, kept by a store
//
// Redirects are outcomes too: their Next is a target of its own. [JudgeChain]
// judges a reference by the outcome its redirects end at, and says what is to be
// said of the way there.
//
// The files are the table of contents: codes*.go hold every code a user can meet
// and its texts; observe.go, fault.go, document.go and mailto.go make outcomes;
// judge.go, fragments.go and redirects.go judge them; botwall.go, hosts.go and
// schemes_table.go are data that will need upkeep. Everything here is a pure
// function of its arguments, except CheckMailto, which asks its resolver.
package check
