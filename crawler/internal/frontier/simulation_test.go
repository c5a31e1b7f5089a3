package frontier

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// What the simulation takes from measurements, see cmd/orbweaver/docs/machines.md.
const (
	serverPage   = 260 * time.Microsecond // processor time of a server for a page, with its claim
	serverTarget = 28 * time.Microsecond  // of a server for a target that another server relays
	workerPage   = 200 * time.Microsecond // of a worker
	recorderPage = 80 * time.Microsecond  // of the coordinator, or of one of several recorders
	queuedBytes  = 92                     // of a server for a target that is queued
	settledBytes = 34                     // for one that is settled
)

// What the simulation assumes.
const (
	simProcessors = 2                      // of a machine
	simNetwork    = 500 * time.Microsecond // one way between a machine and a server
	simRelay      = 100 * time.Millisecond // until a server has passed on what it found for others
	simClaim      = 128                    // targets of a claim, at most
	simLease      = 60 * time.Second
	simInterval   = time.Second // between two visits to a host (--rate 1/s)
	simTolerance  = 50 * time.Millisecond
)

// simulation is a crawl by several machines in virtual time. The targets of each domain are in the
// Ledger of one server, with the paces, shares and leases of a crawl; hosts that refuse are slowed by
// its controller. Only networks, sites and processors are imagined.
type simulation struct {
	random   *rand.Rand
	now      time.Time
	machines []simMachine
	servers  []simServer
	slots    int // of a machine
	hosts    []simHost
	events   simEvents
	relayed  int // targets on their way from server to server

	pages, again, broken    int
	addresses               map[string]int // requests at once
	mostAtAddress           int
	slotsBusy               time.Duration // of all slots together, added up
	serverWork, workerWork  time.Duration
	doubled, pagesInTheSite int
}

type simMachine struct {
	life     int // counts its restarts
	free     int // slots
	next     int // server that is asked next
	asleep   bool
	down     time.Time // it works again then
	computes [simProcessors]time.Time
}

type simServer struct {
	ledger *Ledger
	busy   time.Time
	host   []int32 // numbers of hosts in the simulation, by those in the ledger
	target []simTarget
	away   time.Time
}

type simTarget struct {
	host, page int32
	out        bool // a machine has it, or was lost with it
	settled    bool
}

type simHost struct {
	name, address string
	server        int32
	size          int32 // pages
	latency       time.Duration
	slowest       time.Duration // shorter intervals are refused
	control       *controller   // once it has a target
	last          time.Time     // start of its last request
}

type simKind uint8

const (
	simAsk   simKind = iota // a machine asks a server for targets
	simGrant                // the server answers
	simEnd                  // an answer has come
	simStore                // the server settles a page
	simEnter                // a target of another server comes
	simKill                 // a machine is killed, and starts again
	simStall                // a machine stands still for longer than its leases
	simAway                 // a server is away
)

type simEvent struct {
	at      time.Time
	order   uint64
	kind    simKind
	refused bool
	machine int32
	server  int32
	life    int
	id      ID
	fence   uint64
	host    int32
	page    int32
	began   time.Time
}

// simEvents is a heap of events by time.
type simEvents struct {
	heap  []simEvent
	count uint64
}

func (h *simEvents) less(i, j int) bool {
	a, b := &h.heap[i], &h.heap[j]
	return a.at.Before(b.at) || a.at.Equal(b.at) && a.order < b.order
}

func (h *simEvents) push(e simEvent) {
	h.count++
	e.order = h.count
	h.heap = append(h.heap, e)
	for i := len(h.heap) - 1; i > 0 && h.less(i, (i-1)/2); i = (i - 1) / 2 {
		h.heap[i], h.heap[(i-1)/2] = h.heap[(i-1)/2], h.heap[i]
	}
}

func (h *simEvents) pop() simEvent {
	first, last := h.heap[0], len(h.heap)-1
	h.heap[0] = h.heap[last]
	h.heap = h.heap[:last]
	for i := 0; ; {
		least := i
		for _, child := range [...]int{2*i + 1, 2*i + 2} {
			if child < last && h.less(child, least) {
				least = child
			}
		}
		if least == i {
			return first
		}
		h.heap[i], h.heap[least] = h.heap[least], h.heap[i]
		i = least
	}
}

// newSimulation returns a crawl of hosts whose sizes follow Zipf's law, a fifth of which share domains
// with others, and a third of which are at addresses of hosters.
func newSimulation(seed uint64, machines, servers, slots, hosts, pages int) *simulation {
	s := &simulation{random: rand.New(rand.NewPCG(seed, 0)), now: time.Now(), addresses: map[string]int{}, slots: slots}
	s.machines, s.servers, s.hosts = make([]simMachine, machines), make([]simServer, servers), make([]simHost, hosts)
	for i := range s.servers {
		s.servers[i].ledger = newLedger(Narrow)
	}
	harmonic := 0.0
	for i := range hosts {
		harmonic += math.Pow(float64(i+1), -0.8)
	}
	for i, rank := range s.random.Perm(hosts) {
		domain := i
		if i%5 == 0 {
			domain = i / 5 % max(1, hosts/50)
		}
		h := &s.hosts[i]
		*h = simHost{name: fmt.Sprintf("h%d.d%d.test", i, domain), address: fmt.Sprint("address ", i), server: int32(fingerprintOf(domain, -1) % uint64(servers))}
		if i%3 == 0 {
			h.address = fmt.Sprint("hoster ", int(float64(hosts/100+1)*math.Pow(s.random.Float64(), 3)))
		}
		h.size = int32(max(1, math.Pow(float64(rank+1), -0.8)/harmonic*float64(pages)))
		h.latency = time.Duration(float64(100*time.Millisecond) * math.Exp(s.random.NormFloat64()*0.8))
		if i%50 == 7 {
			h.slowest = 2 * simInterval
		}
		s.pagesInTheSite += int(h.size)
	}
	for i := range s.machines {
		s.machines[i] = simMachine{free: slots, next: i % servers}
		s.events.push(simEvent{at: s.now.Add(time.Duration(i) * time.Microsecond), kind: simAsk, machine: int32(i)})
	}
	for i := range s.hosts {
		s.enter(int32(i), 0) // a start page each
	}
	return s
}

// fingerprintOf mixes the bits of a page's number.
func fingerprintOf(host, page int) uint64 {
	x := uint64(host)<<32 + uint64(page+1)*0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

var simPoliteness = Treatment{Pace: Pace{Concurrency: 8, Interval: simInterval}}

// enter enters a page of a host at its server.
func (s *simulation) enter(host, page int32) {
	h := &s.hosts[host]
	server := &s.servers[h.server]
	if h.control == nil {
		h.control = newController(simPoliteness, false)
		h.control.within = [Shares]Share{{"domain " + h.name[strings.IndexByte(h.name, '.')+1:], 16}, {h.address, 16}}
		server.ledger.SetPace(h.name, h.control.pace())
		server.host = append(server.host, host)
	}
	it := Item{Fingerprint: Fingerprint{Low: fingerprintOf(int(host), int(page))}, Host: []byte(h.name)}
	if _, change := server.ledger.Enter(&it); change&Entered != 0 {
		server.target = append(server.target, simTarget{host: host, page: page})
	}
}

// serve returns when a server has done work that comes to it at a time.
func (s *simulation) serve(server int32, at time.Time, work time.Duration) time.Time {
	sv := &s.servers[server]
	sv.busy = later(later(at, sv.busy), sv.away).Add(work)
	s.serverWork += work
	return sv.busy
}

// run runs the crawl for a time, or until it ends, and reports whether it has ended.
func (s *simulation) run(d time.Duration) (ended bool) {
	until := s.now.Add(d)
	for len(s.events.heap) > 0 {
		e := s.events.pop()
		if e.at.After(until) {
			return false
		}
		s.now = e.at
		m := &s.machines[e.machine]
		switch e.kind {
		case simAsk:
			s.ask(e, m)
		case simGrant:
			s.grant(e, m)
		case simEnd:
			s.receive(e, m)
		case simStore:
			s.store(e, m)
		case simEnter:
			s.relayed--
			s.enter(e.host, e.page)
		case simKill:
			for i := range s.events.heap {
				if x := &s.events.heap[i]; x.machine == e.machine && x.life == m.life && x.kind == simEnd {
					s.leaves(x.host)
				}
			}
			m.life++
			m.free, m.asleep = s.slots, false
			s.events.push(simEvent{at: s.now.Add(10 * time.Second), kind: simAsk, machine: e.machine, life: m.life})
		case simStall:
			m.down = s.now.Add(simLease + 30*time.Second)
		case simAway:
			s.servers[e.server].away = s.now.Add(30 * time.Second)
		}
		if s.over() {
			return true
		}
	}
	return s.over()
}

func (s *simulation) over() bool { return s.pages == s.pagesInTheSite && s.relayed == 0 }

// disturb kills a machine, lets another stand still, and takes a server away.
func (s *simulation) disturb(every time.Duration) {
	for i := range 3 {
		at := s.now.Add(time.Duration(i+1) * every)
		s.events.push(simEvent{at: at, kind: simKill, machine: int32(i % len(s.machines))})
		s.events.push(simEvent{at: at.Add(every / 3), kind: simStall, machine: int32((i + 1) % len(s.machines))})
		s.events.push(simEvent{at: at.Add(every / 2), kind: simAway, server: int32(i % len(s.servers))})
	}
}

// ask lets a machine ask a server for targets.
func (s *simulation) ask(e simEvent, m *simMachine) {
	if e.life != m.life {
		return
	}
	if s.now.Before(m.down) {
		e.at = m.down
		s.events.push(e)
		return
	}
	if m.asleep = m.free == 0; m.asleep { // the next answer wakes it
		return
	}
	m.next = (m.next + 1) % len(s.servers)
	if e.server = int32(m.next); s.servers[m.next].away.After(s.now) {
		e.at = s.now.Add(100 * time.Millisecond / time.Duration(len(s.servers)))
	} else {
		e.kind, e.at = simGrant, s.serve(e.server, s.now.Add(simNetwork), serverPage/2)
	}
	s.events.push(e)
}

// grant hands out targets to a machine, which asks the next server when it has the answer, or after
// a while if none of them had any.
func (s *simulation) grant(e simEvent, m *simMachine) {
	leases, _, _ := s.servers[e.server].ledger.Claim(s.now, min(m.free, simClaim), simLease)
	if e.life != m.life {
		return // it was killed meanwhile: the leases expire
	}
	answer := s.now.Add(simNetwork)
	if len(leases) > 1 {
		answer = s.serve(e.server, s.now, time.Duration(len(leases)-1)*serverPage/2).Add(simNetwork)
	}
	for _, l := range leases {
		s.visit(e.machine, e.server, l, answer)
	}
	if m.free -= len(leases); len(leases) == 0 {
		answer = answer.Add(100 * time.Millisecond / time.Duration(len(s.servers)))
	}
	e.kind, e.at = simAsk, answer
	s.events.push(e)
}

// visit sends a request.
func (s *simulation) visit(machine, server int32, l Lease, starts time.Time) {
	t := &s.servers[server].target[l.ID-1]
	h := &s.hosts[t.host]
	gap := starts.Sub(h.last)
	if !h.last.IsZero() && gap < h.control.pace().Interval-simTolerance && gap < simInterval-simTolerance {
		s.broken++
	}
	refused := !h.last.IsZero() && gap < h.slowest-simTolerance
	h.last = starts
	if t.out {
		s.again++
	}
	t.out = true
	s.addresses[h.address]++
	s.mostAtAddress = max(s.mostAtAddress, s.addresses[h.address])
	takes := time.Duration(float64(h.latency) * (0.5 + s.random.ExpFloat64()/2))
	s.slotsBusy += takes
	s.events.push(simEvent{at: starts.Add(takes), kind: simEnd, machine: machine, server: server, life: s.machines[machine].life, id: l.ID, fence: l.Fence,
		host: t.host, page: t.page, began: starts, refused: refused})
}

// leaves ends a request to a host.
func (s *simulation) leaves(host int32) { s.addresses[s.hosts[host].address]-- }

// receive reads an answer, and brings what it found to the server.
func (s *simulation) receive(e simEvent, m *simMachine) {
	if e.life != m.life {
		return // the machine was killed meanwhile
	}
	if s.now.Before(m.down) {
		e.at = m.down
		s.events.push(e)
		return
	}
	s.leaves(e.host)
	least := &m.computes[0]
	for i := range m.computes {
		if m.computes[i].Before(*least) {
			least = &m.computes[i]
		}
	}
	*least = later(*least, s.now).Add(workerPage)
	s.workerWork += workerPage
	e.kind, e.at = simStore, s.serve(e.server, least.Add(simNetwork), serverPage/2)
	s.events.push(e)
}

// store settles a page, or queues it again if its host refused it.
func (s *simulation) store(e simEvent, m *simMachine) {
	if e.life == m.life {
		if m.free++; m.asleep {
			m.asleep = false
			s.events.push(simEvent{at: s.now.Add(simNetwork), kind: simAsk, machine: e.machine, life: m.life})
		}
	}
	sv, h := &s.servers[e.server], &s.hosts[e.host]
	l := Lease{ID: e.id, Fence: e.fence}
	if sv.ledger.Held(l) != nil {
		return // it was handed out again
	}
	if h.control.observe(Answer{Started: e.began, Overloaded: e.refused, Latency: e.at.Sub(e.began)}, s.now) {
		sv.ledger.SetPace(h.name, h.control.pace())
	}
	t := &sv.target[e.id-1]
	t.out = false
	if e.refused {
		sv.ledger.Release(l, &Deferral{NotBefore: s.now.Add(time.Second)})
		return
	}
	for _, found := range [...]int32{2*e.page + 1, 2*e.page + 2, e.page / 2} {
		if found < h.size {
			s.enter(e.host, found)
		}
	}
	for range 2 { // links to other sites
		to := int32(s.random.IntN(len(s.hosts)))
		if s.hosts[to].server == e.server {
			s.enter(to, 0)
			continue
		}
		s.relayed++
		s.events.push(simEvent{at: s.serve(s.hosts[to].server, s.now, serverTarget).Add(simRelay), kind: simEnter, host: to})
	}
	sv.ledger.Settle(l)
	if t.settled {
		s.doubled++
	}
	t.settled = true
	s.pages++
}

// unsettled returns the number of targets that no visit has settled, by what the ledgers say.
func (s *simulation) unsettled() (n int) {
	for i := range s.servers {
		c := s.servers[i].ledger.Count()
		n += c.Known - c.Settled
	}
	return n
}

// TestSimulation lets machines crawl in virtual time while some are killed or stand still, and servers
// are away: nothing is lost or settled twice, no host is visited faster than its pace, and the same
// seed gives the same crawl.
func TestSimulation(t *testing.T) {
	for _, row := range []struct{ machines, servers int }{{1, 1}, {3, 1}, {4, 3}} {
		var results []string
		for range 2 {
			s := newSimulation(1, row.machines, row.servers, 100, 300, 6000)
			s.disturb(6 * time.Second)
			if !s.run(24 * time.Hour) {
				t.Fatalf("%+v: the crawl does not end: %d of %d pages", row, s.pages, s.pagesInTheSite)
			}
			if n := s.unsettled(); n > 0 || s.doubled > 0 {
				t.Errorf("%+v: %d targets are lost and %d settled twice", row, n, s.doubled)
			}
			if s.broken > 0 {
				t.Errorf("%+v: %d requests came before the interval of their hosts was over", row, s.broken)
			}
			if s.mostAtAddress > 16*row.servers {
				t.Errorf("%+v: %d requests at once at one address, want at most 16 for each server", row, s.mostAtAddress)
			}
			if s.again == 0 {
				t.Errorf("%+v: no target was handed out again, although machines were killed", row)
			}
			for i := range s.servers {
				if _, _, err := s.servers[i].ledger.Claim(s.now, 1, simLease); err != io.EOF {
					t.Errorf("%+v: server %d says %v at the end, want EOF", row, i, err)
				}
			}
			results = append(results, fmt.Sprint(s.pages, s.again, s.mostAtAddress, s.slotsBusy, s.serverWork, s.events.count))
		}
		if results[0] != results[1] {
			t.Errorf("%+v: the same seed gives %s and %s", row, results[0], results[1])
		}
	}
}

// BenchmarkMachines prints the table of cmd/orbweaver/docs/machines.md.
func BenchmarkMachines(b *testing.B) {
	const slots, hosts, pages = 1000, 10_000, 2_000_000 // for each machine; more pages than the time suffices for
	const phase = 5 * time.Second
	fmt.Println("| machines | servers | pages/s | with a quarter of the machines at a standstill | idle slots | busy: servers | workers | recorders | memory of a server | 10⁹ pages take | first to break |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|---|")
	for _, row := range []struct{ machines, servers int }{{1, 1}, {4, 1}, {4, 4}, {12, 1}, {12, 12}, {48, 12}} {
		b.Run(fmt.Sprintf("%d-%d", row.machines, row.servers), func(b *testing.B) {
			s := newSimulation(1, row.machines, row.servers, slots, hosts*row.machines, pages*row.machines)
			s.run(phase)
			pages, server, worker, busy := s.pages, s.serverWork, s.workerWork, s.slotsBusy
			s.run(phase)
			rate := float64(s.pages-pages) / phase.Seconds()
			share := func(d time.Duration, of int) float64 { return d.Seconds() / phase.Seconds() / float64(of) }
			use := []struct {
				name string
				part float64
			}{
				{"requests in flight", share(s.slotsBusy-busy, row.machines*slots)},
				{"servers", share(s.serverWork-server, row.servers)},
				{"workers", share(s.workerWork-worker, row.machines*simProcessors)},
				{"recorders", rate * recorderPage.Seconds() / float64(row.servers)},
			}
			first := use[0]
			for _, u := range use[1:] {
				if u.part > first.part {
					first = u
				}
			}
			for i := range row.machines / 4 {
				s.events.push(simEvent{at: s.now, kind: simKill, machine: int32(4 * i)})
				s.events.push(simEvent{at: s.now.Add(time.Second), kind: simStall, machine: int32(4 * i)})
			}
			pages = s.pages
			s.run(phase)
			memory := func(bytes float64) float64 { return bytes / float64(row.servers) } // GB, of 10⁹ targets
			fmt.Printf("| %d | %d | %.0f | %.0f | %.0f %% | %.0f %% | %.0f %% | %.0f %% | %.1f to %.1f GB | %.1f h | %s |\n", row.machines, row.servers, rate,
				float64(s.pages-pages)/phase.Seconds(), 100*(1-use[0].part), 100*use[1].part, 100*use[2].part, 100*use[3].part,
				memory(settledBytes), memory(queuedBytes), 1e9/rate/3600, first.name)
			b.ReportMetric(rate, "pages/s")
		})
	}
}
