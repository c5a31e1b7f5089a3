package report

import (
	"cmp"
	"math"
	"slices"
)

// fullTurn is the unit of angles: all arithmetic is on integers, so that every
// machine lays the same web.
const fullTurn = 1_000_000

// Room in hundredths: a knot needs one of its own, and rings are ringGap apart.
const (
	room     = 100
	ringGap  = 500
	leastGap = 150
	farRings = 40 // with more rings than this they move closer together
	rowGap   = 90 // of the rows that a crowded ring is woven of
	// A ring of n knots has one row for each rowsShare in the root of n, so that a
	// large one is a band and not a line that nobody can see.
	rowsShare = 5
)

// layOut gives every knot its place: each has a share of the turn that is as wide
// as the part of the tree that hangs on it, and stands in the middle of it.
func (w *weaver) layOut() {
	w.turn()
	rings := make([][]int32, w.rings+1)
	for i := range w.knots {
		rings[w.knots[i].ring] = append(rings[w.knots[i].ring], int32(i))
	}
	gap := ringGap
	if w.rings > farRings {
		gap = max(leastGap, ringGap*farRings/w.rings)
	}
	radius := 0
	for n, ring := range rings {
		if n > 0 {
			radius += gap
		}
		slices.SortStableFunc(ring, func(a, b int32) int { return cmp.Compare(w.knots[a].angle, w.knots[b].angle) })
		radius = w.weaveRing(ring, radius)
	}
}

// weaveRing sets the knots of a ring, which are sorted by angle, on as many rows
// as look well, the first of them where the knots do not touch, and returns the
// radius of the outermost.
func (w *weaver) weaveRing(ring []int32, radius int) int {
	if len(ring) == 1 && radius == 0 {
		return 0
	}
	rows := max(1, int(math.Sqrt(float64(len(ring))))/rowsShare)
	radius = max(radius, len(ring)*room/rows*1000/6283)
	for i, at := range ring {
		w.knots[at].radius = radius + i%rows*rowGap
	}
	w.spread(ring, rows, room*fullTurn/max(1, radius)*1000/6283)
	return radius + (rows-1)*rowGap
}

// spread moves knots of one row apart that stand closer than gap, on along the ring
// and, where that would lead around, back again. There is room for all of them.
func (w *weaver) spread(ring []int32, rows, gap int) {
	for i := rows; i < len(ring); i++ {
		k, before := &w.knots[ring[i]], &w.knots[ring[i-rows]]
		k.angle = max(k.angle, before.angle+gap)
	}
	for i := len(ring) - 1; i >= 0; i-- {
		k, most := &w.knots[ring[i]], 0
		if i+rows < len(ring) {
			most = w.knots[ring[i+rows]].angle - gap
		} else {
			most = min(fullTurn-1, fullTurn+w.knots[ring[i+rows-len(ring)]].angle-gap)
		}
		k.angle = max(0, min(k.angle, most))
	}
}

// turn sets the angles.
func (w *weaver) turn() {
	weight := make([]int, len(w.knots)) // leaves that hang on a knot
	for i := w.loose - 1; i >= 0; i-- {
		weight[i] = max(weight[i], 1)
		if up := w.knots[i].parent; up != none {
			weight[up] += weight[i]
		}
	}
	from, span := make([]int, len(w.knots)), make([]int, len(w.knots))
	given := make([]int, len(w.knots)) // weight of the children that have their share
	for i := range w.loose {
		up := w.knots[i].parent
		if up == none {
			span[i] = fullTurn
		} else {
			total := weight[up]
			from[i] = from[up] + share(span[up], given[up], total)
			given[up] += weight[i]
			span[i] = from[up] + share(span[up], given[up], total) - from[i]
		}
		w.knots[i].angle = from[i] + span[i]/2
	}
	loose := len(w.knots) - w.loose
	for i := range loose {
		w.knots[w.loose+i].angle = fullTurn * (2*i + 1) / (2 * loose)
	}
}

func share(span, part, total int) int { return int(int64(span) * int64(part) / int64(total)) }
