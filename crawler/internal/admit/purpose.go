package admit

// Purpose is what a request is for.
type Purpose uint8

const (
	Visit       Purpose = iota // to check what a link leads to
	Hop                        // to follow redirects that a cookie may change
	Document                   // a frame, or what a script navigates to, in the browser
	Subresource                // what a page loads in the browser
	Unchanged                  // to learn whether what a page loaded is as it was in an earlier run
	Probe                      // a made-up address (--soft-404)
	Twin                       // the same address over https (--check-https)
	Icon                       // the icon of a page that names none
	Robots                     // the robots.txt of a host
	RobotsHop                  // what a robots.txt redirects to
	Issuer                     // a certificate that a server did not send
	Archive                    // to ask an archive for a copy
	Reread                     // a page or file that was read before, for its report
	Session                    // to sign in, and to prove that a session has not ended
	Named                      // a document that the user named, outside of a crawl
	purposes
)

// rule is a rule that may keep a request from being sent, or make it wait.
type rule uint8

const (
	ruleExcluded rule = iota // --exclude, rules with the verdict "ignore", --skip-reserved
	ruleExternal             // --external skip
	ruleSignOut              // links that sign out or delete, with credentials
	ruleRobots               // robots.txt
	ruleGivenUp              // hosts that refused too often, or never answered
	rulePages                // --max-pages, traps and the longest URL of a page
	rulePlace                // --per-host, --per-domain, --per-address
	ruleInterval             // --delay, --rate and Crawl-delay
	ruleAddress              // private addresses and blocked ports
	ruleCount
)

// Reasons that several purposes have.
const (
	noPage       = "nothing of the answer is read for links"
	pageOfLoad   = "a file that a page loads is no page"
	needsRobots  = "without it, the host's rules would be disobeyed, and nobody would notice"
	robotsDecide = "package robots decides when it is requested again"
	robotsFirst  = "it comes before the first visit of the host"
	robotsPace   = "the interval is between other requests"
	ownFrontier  = "the archive has a frontier of its own"
	userNamed    = "the user named it, and nothing else is requested"
)

// exempt says why a rule does not apply to requests for a purpose. A rule without an entry
// applies. Package fetch enforces ruleAddress for every request, as only it knows addresses.
var exempt = [purposes][ruleCount]string{
	Hop:         {rulePages: "it is part of the visit that is counted"},
	Document:    {rulePages: "the document is a target, too, and counted when that is read"},
	Subresource: {rulePages: pageOfLoad},
	Unchanged:   {rulePages: pageOfLoad},
	Probe:       {rulePages: noPage},
	Twin:        {rulePages: noPage},
	Icon:        {rulePages: noPage},
	Robots: {
		ruleExcluded: needsRobots,
		ruleExternal: needsRobots,
		ruleSignOut:  needsRobots,
		ruleRobots:   "it is what the rule needs",
		ruleGivenUp:  robotsDecide,
		rulePages:    noPage,
		rulePlace:    robotsFirst,
		ruleInterval: robotsPace,
	},
	RobotsHop: {
		ruleRobots:   "RFC 9309 lets crawlers follow the redirects of a robots.txt",
		ruleGivenUp:  robotsDecide,
		rulePages:    noPage,
		rulePlace:    robotsFirst,
		ruleInterval: robotsPace,
	},
	Issuer: {
		rulePages: noPage,
		rulePlace: "one is requested at a time, by a visit that has a place",
	},
	Archive: {
		ruleExternal: "the user named the archive",
		ruleSignOut:  "the archive is asked about an address, which it does not request",
		ruleRobots:   "the user named the archive, and its address is an interface for programs",
		ruleGivenUp:  ownFrontier,
		rulePages:    noPage,
		rulePlace:    ownFrontier,
		ruleInterval: ownFrontier,
	},
	Reread: {
		ruleRobots:   "the page was read in this run, as far as robots.txt allowed that",
		rulePages:    noPage,
		rulePlace:    "one is requested at a time, after all visits",
		ruleInterval: "package verdicts keeps the interval of the configuration, as there are no visits any more",
	},
	Session: {
		ruleExcluded: "the user named the sign-in page",
		ruleExternal: "the user named the sign-in page",
		ruleSignOut:  "package session requests what leads in, and never what leads out",
		ruleRobots:   "the user signs in, not a crawler",
		ruleGivenUp:  "without a session nothing can be requested",
		rulePages:    noPage,
		rulePlace:    "no other request of the session is sent meanwhile",
		ruleInterval: "a sign-in that waits may be refused as too old",
	},
	Named: {
		ruleExcluded: userNamed,
		ruleExternal: userNamed,
		ruleSignOut:  userNamed,
		ruleRobots:   userNamed,
		ruleGivenUp:  userNamed,
		rulePages:    userNamed,
		rulePlace:    userNamed,
		ruleInterval: userNamed,
	},
}

// isOfVisit reports whether the answer to a request belongs to the visit that needs it, and is not
// shared with others.
func (p Purpose) isOfVisit() bool { return p == Visit || p == Hop || p == Twin }

// applies reports whether a rule applies to requests for a purpose.
func (p Purpose) applies(r rule) bool { return exempt[p][r] == "" }
