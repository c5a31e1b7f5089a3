// Package judging turns the answers to requests into verdicts.
//
// It first makes an [Outcome] of an answer: an observation that does not depend on
// who links to the target. [Outcome.Judge] then answers one question with a verdict:
// does this target, with this fragment, work for links from this site?
//
//	fetch.Response ─ Observe ──────┐
//	fetch.Fault ──── ObserveFault ─┤
//	a rule ───────── Skip ─────────┼─> Outcome ─ Judge(Question) ─> Judgement
//	mailto:, tel: … ─ CheckMailto, ┘      │
//	                 UncheckedScheme      └─ AppendOutcome ─> bytes, kept by a store
//
// Redirects are outcomes too: their Next is a target of its own. [JudgeChain]
// judges a reference by the outcome at the end of its redirects, and adds warnings
// about the redirects.
//
// observe.go, fault.go, document.go and mailto.go make outcomes; judge.go, fragments.go
// and redirects.go judge them; the suggest files find what was probably meant by a
// broken reference. The tables in botwall.go and hosts.go need updates when vendors
// change. All functions are pure, except CheckMailto, which asks its resolver.
package judging
