package references

import (
	"encoding/binary"
	"errors"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/record"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/urinorm"
)

// A later run that decides about links in the same way (scope.Scope.Decides) takes over the
// targets and the references of a page that has not changed, and neither reads it nor resolves
// its links again. The form in which they are kept, with numbers as varints:
//
//	number of targets
//	the fingerprint of each: 8 bytes, or 16
//	for each target:
//	  wave, need, flags and hops of its job: 4 bytes
//	  position of the host in the URL, length of the host
//	  number of bytes that begin the URL as well as the one before
//	  number of bytes that follow these, these bytes
//	  length of the outcome plus 1, outcome; 0 if it is requested
//
// The block of references is kept as the frontier stores it (frontier.Links).
//
// What the run knew from earlier ones of a
// target on another site is left out: a later run looks that up by itself.

var errKept = errors.New("the references of a page that an earlier run read are damaged")

const (
	// keptHead is the number of bytes of a kept target before its varints.
	keptHead = 4
	// maxKeptURL is the most bytes of a kept URL, which is shorter even if it stands for a longer
	// one.
	maxKeptURL = 1 << 20
	// keptDepth is set in the flags of a job that has a depth: that of the page plus one.
	keptDepth = 1 << 7
)

// ScopeOf returns the scope by which the links of a page are decided about, which a redirect of a
// start page may have widened since.
func ScopeOf(p *Page) *scope.Scope { return p.referrer.scope }

// DependsOnFiles reports whether what the links of a page lead to depends on which other files its
// directory has, or on what they say, so that another run cannot take over the targets although the
// page has not changed.
func DependsOnFiles(p *Page) bool {
	site := p.referrer.scope.Sites.Of(scope.URLOf(p.referrer.url))
	if site == nil {
		return p.collector.resolver.asked
	}
	return AsksFiles(p) || site.Around != nil || renderedFormats[p.Document.Format] && (site.IsSource() || !p.referrer.scope.Crawled(site))
}

// AsksFiles reports whether a link of a page leads elsewhere if other files come or go, in a directory whose pages
// are published as before.
func AsksFiles(p *Page) bool {
	return p.collector.resolver.asked || p.Document.Format == "sitemap"
}

// Keep returns the targets and the block of references of a page, which are all that a later run
// needs so that it need not read it again. They are valid until the next Reset. Env.Keeps must
// be set.
func Keep(p *Page) (targets, block []byte) {
	list, dst := p.items.list, p.kept[:0]
	wide := p.items.frontier.Store().Width() == frontier.Wide
	dst = binary.AppendUvarint(dst, uint64(len(list)))
	for i := range list {
		fp := list[i].Fingerprint
		if dst = binary.LittleEndian.AppendUint64(dst, fp.Low); wide {
			dst = binary.LittleEndian.AppendUint64(dst, fp.High)
		}
	}
	var before []byte
	for i := range list {
		item := &list[i]
		flags, hops, depth, url := frontier.SplitJob(item.Job)
		if depth != 0 {
			flags |= keptDepth
		}
		at := 0
		if len(item.Host) > 0 { // it is a part of the URL
			at = cap(url) - cap(item.Host)
		}
		dst = append(dst, byte(item.Wave), byte(item.Need), flags, hops)
		dst = binary.AppendUvarint(dst, uint64(at))
		dst = binary.AppendUvarint(dst, uint64(len(item.Host)))
		same := commonPrefix(before, url)
		dst = binary.AppendUvarint(dst, uint64(same))
		dst = binary.AppendUvarint(dst, uint64(len(url)-same))
		dst = append(dst, url[same:]...)
		before = url
		if item.Outcome == nil || isFromEarlier(item.Outcome) {
			dst = append(dst, 0)
			continue
		}
		dst = binary.AppendUvarint(dst, uint64(len(item.Outcome))+1)
		dst = append(dst, item.Outcome...)
	}
	p.kept = dst
	return dst, p.block.encode()
}

func commonPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// isFromEarlier reports whether an outcome is that of an earlier run.
func isFromEarlier(outcome []byte) bool {
	g, err := judging.GlanceAt(outcome)
	return err == nil && g.Cached
}

// TakeOver enters what Keep returned for a page. The page refers to the block until the next
// Reset. Nothing may have been added before. After an error, the page must be reset.
func TakeOver(p *Page, targets, block []byte) error {
	width := int(p.items.frontier.Store().Width()) / 8
	r := keptReader{Reader: record.Reader{Rest: targets}, url: p.kept[:0], notesUses: ScopeOf(p).Uses.Await()}
	fingerprints := r.Take(uint64(r.Entries(width+keptHead) * width))
	for ; len(fingerprints) > 0; fingerprints = fingerprints[width:] {
		fp := frontier.Fingerprint{Low: binary.LittleEndian.Uint64(fingerprints)}
		if width > 8 {
			fp.High = binary.LittleEndian.Uint64(fingerprints[8:])
		}
		if err := p.collector.takeOver(&r, fp); err != nil {
			return err
		}
	}
	p.kept, p.block.kept = r.url, block
	if !r.Done() {
		return errKept
	}
	return p.collector.consultEarlier(block)
}

// takeOver enters one target.
func (c *collector) takeOver(r *keptReader, fp frontier.Fingerprint) error {
	it := c.items
	head := r.Take(keptHead)
	hostAt, hostLength, url := r.Uvarint(), r.Uvarint(), r.nextURL()
	var outcome []byte
	if n := r.Uvarint(); n > 0 {
		outcome = r.Take(n - 1)
	}
	if _, known := it.find(fp); r.Failed || known || frontier.Wave(head[0]) > frontier.Leaves || hostAt > uint64(len(url)) || hostLength > uint64(len(url))-hostAt {
		return errKept
	}
	if frontier.Need(head[1])&frontier.NeedLeft != 0 {
		if u, _, err := urinorm.ParseWeb(string(url)); err == nil {
			c.page.scope.LeaveAlone(scope.HrefOf(u))
		}
	}
	it.list = append(it.list, frontier.Item{Fingerprint: fp, Wave: frontier.Wave(head[0]), Need: frontier.Need(head[1]) | frontier.EarlierNeed(head[2]), Outcome: outcome})
	it.index.put(it.list)
	item := &it.list[len(it.list)-1]
	if outcome == nil {
		item.ID = it.ids.find(fp)
	}
	if item.ID == 0 || !frontier.IsInternal(head[2]) { // earlier runs may know it
		it.makeRoom(len(url))
		start := len(it.jobs)
		depth := 0
		if head[2]&keptDepth != 0 {
			depth = it.depth
		}
		it.jobs = frontier.JoinJob(it.jobs, head[2]&^keptDepth, head[3], depth, url)
		item.Job = it.jobs[start:len(it.jobs):len(it.jobs)]
		if hostLength > 0 {
			own := item.Job[len(item.Job)-len(url):]
			item.Host = own[hostAt : hostAt+hostLength]
		}
	}
	if r.notesUses {
		c.noteUses(url)
	}
	return nil
}

// noteUses records which rules and exclusions match a URL.
func (c *collector) noteUses(url []byte) {
	if u, _, err := urinorm.ParseWeb(string(url)); err == nil {
		c.page.scope.Excluded(scope.HrefOf(u))
	}
}

// consultEarlier looks up what earlier runs knew of the targets of a block on other sites.
func (c *collector) consultEarlier(block []byte) error {
	if c.env.Earlier == nil {
		return nil
	}
	outside := map[int]scope.Href{}
	for i := range c.items.list {
		item := &c.items.list[i]
		if item.Outcome != nil || len(item.Job) == 0 {
			continue
		}
		j, err := frontier.DecodeJob(item.Job)
		if err != nil {
			return errKept
		}
		if j.Internal || j.Verbatim {
			continue
		}
		u, _, err := urinorm.ParseWeb(string(j.URL))
		if err != nil {
			return errKept
		}
		if v := scope.HrefOf(u); v.IsHTTP() && c.earlier(item.Fingerprint, v, fateOf(item), nil) != nil {
			outside[i] = v // unless a fragment is missing
		}
	}
	if len(outside) == 0 {
		return nil
	}
	outcomes := map[int]*judging.Outcome{}
	var links frontier.LinkReader
	if err := links.Reset(block); err != nil {
		return err
	}
	for {
		var l frontier.RawLink
		more, err := links.Next(&l)
		if err != nil {
			return err
		}
		if !more {
			break
		}
		v, of := outside[l.Target]
		if !of || l.Mark&scope.MarkAside != 0 {
			continue
		}
		item := &c.items.list[l.Target]
		outcome := c.earlier(item.Fingerprint, v, fateOf(item), l.Fragment)
		if outcome == nil {
			delete(outside, l.Target)
			delete(outcomes, l.Target)
			continue
		}
		outcomes[l.Target] = outcome
	}
	for i, o := range outcomes {
		c.items.list[i].Outcome = storedOutcome(o)
		c.items.list[i].ID = 0
	}
	return nil
}

// fateOf returns what was decided about a target on another site, but for its fragments.
func fateOf(item *frontier.Item) scope.Fate {
	return scope.Fate{Wave: item.Wave, Need: item.Need &^ frontier.NeedContent}
}

// keptReader reads the targets of a page.
type keptReader struct {
	record.Reader
	url       []byte // the last URL
	notesUses bool   // a rule or an exclusion may match for the first time
}

// nextURL reads a URL, which is valid until the next one is read.
func (r *keptReader) nextURL() []byte {
	same := r.Uvarint()
	end := r.Take(r.Uvarint())
	if same > uint64(len(r.url)) || int(same)+len(end) > maxKeptURL {
		r.Fail()
		return nil
	}
	r.url = append(r.url[:same], end...)
	return r.url
}
