package report

import (
	"cmp"
	"math"
	"slices"
)

// fullTurn is the number of angle units in a full turn. All arithmetic is on integers, so
// that the layout is the same on every machine.
const fullTurn = 1_000_000

// Distances in hundredths of the room of a node.
const (
	nodeRoom   = 100
	ringGap    = 500
	minRingGap = 150
	farRings   = 40 // if there are more rings, the gaps between them are smaller
	rowGap     = 90 // between the rows of a crowded ring
	// A ring of n nodes has √n / rowDivisor rows, so that a large ring is a visible band
	// and not a thin line.
	rowDivisor = 5
)

// layOut assigns positions. Each node gets a share of the full turn in proportion to its
// subtree, and is in the middle of it.
func (w *webBuilder) layOut() {
	w.assignAngles()
	rings := make([][]int32, w.rings+1)
	for i := range w.nodes {
		rings[w.nodes[i].ring] = append(rings[w.nodes[i].ring], int32(i))
	}
	gap := ringGap
	if w.rings > farRings {
		gap = max(minRingGap, ringGap*farRings/w.rings)
	}
	radius := 0
	for n, ring := range rings {
		if n > 0 {
			radius += gap
		}
		slices.SortStableFunc(ring, func(a, b int32) int { return cmp.Compare(w.nodes[a].angle, w.nodes[b].angle) })
		radius = w.layOutRing(ring, radius)
	}
}

// layOutRing places the nodes of a ring, which are sorted by angle, on one or more rows,
// and returns the radius of the outermost row. The first row is large enough that nodes
// do not overlap.
func (w *webBuilder) layOutRing(ring []int32, radius int) int {
	if len(ring) == 1 && radius == 0 {
		return 0
	}
	rows := max(1, int(math.Sqrt(float64(len(ring))))/rowDivisor)
	radius = max(radius, len(ring)*nodeRoom/rows*1000/6283)
	for i, at := range ring {
		w.nodes[at].radius = radius + i%rows*rowGap
	}
	w.spread(ring, rows, nodeRoom*fullTurn/max(1, radius)*1000/6283)
	return radius + (rows-1)*rowGap
}

// spread separates nodes of one row that are closer than gap. It moves them forward along
// the ring, and back if that would exceed the full turn. The ring has room for all of
// them.
func (w *webBuilder) spread(ring []int32, rows, gap int) {
	for i := rows; i < len(ring); i++ {
		k, before := &w.nodes[ring[i]], &w.nodes[ring[i-rows]]
		k.angle = max(k.angle, before.angle+gap)
	}
	for i := len(ring) - 1; i >= 0; i-- {
		k, most := &w.nodes[ring[i]], 0
		if i+rows < len(ring) {
			most = w.nodes[ring[i+rows]].angle - gap
		} else {
			most = min(fullTurn-1, fullTurn+w.nodes[ring[i+rows-len(ring)]].angle-gap)
		}
		k.angle = max(0, min(k.angle, most))
	}
}

func (w *webBuilder) assignAngles() {
	weight := make([]int, len(w.nodes)) // number of leaves below each node
	for i := w.firstUnreached - 1; i >= 0; i-- {
		weight[i] = max(weight[i], 1)
		if up := w.nodes[i].parent; up != noIndex {
			weight[up] += weight[i]
		}
	}
	from, span := make([]int, len(w.nodes)), make([]int, len(w.nodes))
	given := make([]int, len(w.nodes)) // weight of the children that already have a share
	for i := range w.firstUnreached {
		up := w.nodes[i].parent
		if up == noIndex {
			span[i] = fullTurn
		} else {
			total := weight[up]
			from[i] = from[up] + share(span[up], given[up], total)
			given[up] += weight[i]
			span[i] = from[up] + share(span[up], given[up], total) - from[i]
		}
		w.nodes[i].angle = from[i] + span[i]/2
	}
	loose := len(w.nodes) - w.firstUnreached
	for i := range loose {
		w.nodes[w.firstUnreached+i].angle = fullTurn * (2*i + 1) / (2 * loose)
	}
}

func share(span, part, total int) int { return int(int64(span) * int64(part) / int64(total)) }
