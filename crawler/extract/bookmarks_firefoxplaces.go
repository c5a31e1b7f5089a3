package extract

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"
)

// placesFormat is places.sqlite, where Firefox keeps bookmarks and history. Only
// bookmarks are read.
var placesFormat = format{
	name:      "firefox-places",
	names:     []string{"places.sqlite"},
	sniff:     sniffSQLite,
	mustSniff: true,
	weakSniff: true,
	binary:    true,
	inPlace:   true,
	read:      readPlaces,
}

// placesCopyFormat is the same under another name. What a database holds is not to be
// seen from its first bytes, and most have nothing to do with Firefox.
var placesCopyFormat = format{
	name:       "firefox-places-copy",
	media:      []string{"application/vnd.sqlite3", "application/x-sqlite3"},
	extensions: []string{"sqlite", "db"},
	sniff:      sniffSQLite,
	mustSniff:  true,
	binary:     true,
	onlyNamed:  true,
	inPlace:    true,
	read:       readPlaces,
}

func sniffSQLite(head []byte) bool { return bytes.HasPrefix(head, []byte(sqliteMagic)) }

const sqliteMagic = "SQLite format 3\x00"

const (
	// MaxDatabase is the greatest size of a database, and of its journal, in bytes.
	MaxDatabase = 2 << 30
	// placesPatience bounds the time one database is read.
	placesPatience = 2 * time.Minute
	// maxPlacesRows bounds the rows of one query: bookmarks, folders and tags.
	maxPlacesRows = 4 * MaxLinks
)

// readPlaces reads a copy of the database, so that Firefox may go on writing to
// the original, and whatever its lock.
func readPlaces(h *harvest, in *Input) {
	dir, err := os.MkdirTemp("", "orbweaver-places-")
	if err != nil {
		h.fault("read bookmarks: %v", err)
		return
	}
	defer os.RemoveAll(dir)
	copied := filepath.Join(dir, "places.sqlite")
	if in.Path != "" {
		err = copyDatabase(copied, in.Path)
	} else {
		err = os.WriteFile(copied, in.Body, 0o600)
	}
	if err != nil {
		h.fault("copy database: %v", err)
		return
	}
	if err := fillUp(copied); err != nil {
		h.fault("read bookmarks: %v", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), placesPatience)
	defer cancel()
	list := newBookmarkList(h, in, "bookmark", 0)
	if err := readPlacesDatabase(ctx, list, copied); err != nil {
		h.fault("read bookmarks: %v", err)
	}
	list.finish()
}

// fillUp gives a copy that was cut off the length its head tells (file format of SQLite,
// 1.3), as SQLite refuses it else as a whole. What is read from the missing pages is an error then.
// It returns what is wrong.
func fillUp(copied string) error {
	if journal, err := os.Stat(copied + "-wal"); err == nil && journal.Size() > 0 {
		return nil // pages may stand there alone
	}
	f, err := os.OpenFile(copied, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	var head [32]byte
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if _, err := f.ReadAt(head[:], 0); err != nil {
		return nil // SQLite says what it is not
	}
	page := int64(binary.BigEndian.Uint16(head[16:]))
	if page == 1 {
		page = 1 << 16
	}
	length := page * int64(binary.BigEndian.Uint32(head[28:]))
	if string(head[:16]) != sqliteMagic || length <= info.Size() || length > MaxDatabase {
		return nil
	}
	return errors.Join(fmt.Errorf("the database is cut off: %d of %d bytes are there", info.Size(), length), f.Truncate(length))
}

// copyDatabase copies a database with what was written since to its journal,
// once more when either changed meanwhile.
func copyDatabase(to, from string) error {
	const tries = 4
	for range tries {
		before, err := databaseState(from)
		if err != nil {
			return err
		}
		if err := copyFile(to, from); err != nil {
			return err
		}
		for _, journal := range []string{"-wal", "-journal"} {
			if err := copyFile(to+journal, from+journal); errors.Is(err, os.ErrNotExist) {
				os.Remove(to + journal) // of an earlier try
			} else if err != nil {
				return err
			}
		}
		if after, err := databaseState(from); err == nil && after == before {
			return nil
		}
	}
	return fmt.Errorf("%s changes while it is read", filepath.Base(from))
}

// databaseState tells one state of a database and its journal from another.
func databaseState(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	state := fmt.Sprint(info.Size(), info.ModTime().UnixNano())
	if journal, err := os.Stat(path + "-wal"); err == nil {
		state += fmt.Sprint(" ", journal.Size(), journal.ModTime().UnixNano())
	}
	return state, nil
}

func copyFile(to, from string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	n, err := io.Copy(out, io.LimitReader(in, MaxDatabase+1))
	if n > MaxDatabase {
		return fmt.Errorf("%s is longer than %d bytes", filepath.Base(from), int64(MaxDatabase))
	}
	return err
}

// placesSource is SQLite's name for a copy, by its absolute path with slashes.
func placesSource(slashed string) string {
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // a drive letter, which would be taken for a host
	}
	name := url.URL{Scheme: "file", Path: slashed, RawQuery: "_pragma=query_only(1)&_pragma=trusted_schema(0)&_pragma=cell_size_check(1)"}
	return name.String()
}

func readPlacesDatabase(ctx context.Context, list *bookmarkList, path string) error {
	db, err := sql.Open("sqlite", placesSource(filepath.ToSlash(path)))
	if err != nil {
		return err
	}
	defer db.Close()
	p := placesReader{ctx: ctx, db: db, list: list, folders: map[int64]int32{}, tagged: map[int64][]string{}}
	if err := p.schema(); err != nil {
		return err
	}
	// Of a damaged database what can be read counts.
	var first error
	for _, step := range []func() error{p.readFolders, p.readTags, p.readBookmarks} {
		if err := step(); first == nil {
			first = err
		}
	}
	return first
}

// placesReader reads the tables one after the other. Firefox of old has other
// columns: what is selected depends on which there are.
type placesReader struct {
	ctx  context.Context
	db   *sql.DB
	list *bookmarkList

	bookmarks  map[string]bool // columns
	folders    map[int64]int32
	tagFolders map[int64]string
	tagged     map[int64][]string // labels of a place
}

const (
	placesTagsGUID = "tags________"
	placesBookmark = 1
	placesFolder   = 2
)

func (p *placesReader) schema() (err error) {
	if p.bookmarks, err = p.columns("moz_bookmarks"); err != nil {
		return err
	}
	whole := len(p.bookmarks) > 0
	var isTable bool // a view could have rows without end
	err = p.each(`SELECT type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' FROM sqlite_master
		WHERE name IN ('moz_bookmarks', 'moz_places', 'moz_bookmarks_roots') AND type <> 'index'`, func(rows *sql.Rows) error {
		err := rows.Scan(&isTable)
		whole = whole && isTable
		return err
	})
	switch {
	case err != nil:
		return err
	case !whole:
		return errors.New("the database holds no bookmarks of Firefox")
	}
	return nil
}

func (p *placesReader) columns(table string) (map[string]bool, error) {
	columns := map[string]bool{}
	var name string
	err := p.each("SELECT name FROM pragma_table_info('"+table+"')", func(rows *sql.Rows) error {
		if err := rows.Scan(&name); err != nil {
			return err
		}
		columns[name] = true
		return nil
	})
	return columns, err
}

// each runs a query and calls row for each of its rows, of which there may be maxPlacesRows.
func (p *placesReader) each(query string, row func(*sql.Rows) error) error {
	rows, err := p.db.QueryContext(p.ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	for count := 0; rows.Next(); count++ {
		if count == maxPlacesRows {
			return fmt.Errorf("more than %d rows in one table", maxPlacesRows)
		}
		if err := row(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// readFolders reads all folders, and finds the one whose children are tags.
func (p *placesReader) readFolders() error {
	tagsRoot := int64(-1)
	guid := "''"
	if p.bookmarks["guid"] {
		guid = "guid"
	} else if roots, err := p.columns("moz_bookmarks_roots"); err == nil && roots["folder_id"] {
		if err := p.each("SELECT folder_id FROM moz_bookmarks_roots WHERE root_name = 'tags'", func(rows *sql.Rows) error {
			return rows.Scan(&tagsRoot)
		}); err != nil {
			return err
		}
	}
	parents := map[int64]int64{}
	var id, parent int64
	var title, mark sql.NullString
	err := p.each(fmt.Sprintf("SELECT id, parent, title, %s FROM moz_bookmarks WHERE type = %d ORDER BY id", guid, placesFolder), func(rows *sql.Rows) error {
		if err := rows.Scan(&id, &parent, &title, &mark); err != nil {
			return err
		}
		if mark.String == placesTagsGUID {
			tagsRoot = id
		}
		parents[id] = parent
		p.folders[id] = p.list.folder(-1, title.String)
		return nil
	})
	p.tagFolders = map[int64]string{}
	for id, parent := range parents {
		self := p.folders[id]
		if outer, ok := p.folders[parent]; ok && parent != id {
			p.list.folders[self].parent = outer
		}
		if tagsRoot >= 0 && (parent == tagsRoot || id == tagsRoot) {
			p.tagFolders[id] = p.list.folders[self].name
		}
	}
	return err
}

// readTags reads which places the tag folders name.
func (p *placesReader) readTags() error {
	if len(p.tagFolders) == 0 {
		return nil
	}
	var place sql.NullInt64
	var parent int64
	return p.each(fmt.Sprintf("SELECT fk, parent FROM moz_bookmarks WHERE type = %d ORDER BY id", placesBookmark), func(rows *sql.Rows) error {
		if err := rows.Scan(&place, &parent); err != nil {
			return err
		}
		if tag, ok := p.tagFolders[parent]; ok && tag != "" && len(p.tagged[place.Int64]) < MaxTags {
			p.tagged[place.Int64] = append(p.tagged[place.Int64], tag)
		}
		return nil
	})
}

func (p *placesReader) readBookmarks() error {
	position := "b.id"
	if p.bookmarks["position"] {
		position = "b.position"
	}
	var count int
	where := fmt.Sprintf(" FROM moz_bookmarks b JOIN moz_places p ON p.id = b.fk WHERE b.type = %d", placesBookmark)
	damage := p.each("SELECT count(*)"+where, func(rows *sql.Rows) error { return rows.Scan(&count) })
	p.list.expect(count)
	var id, place, parent, added sql.NullInt64
	var address, title sql.RawBytes
	query := "SELECT b.id, b.fk, b.parent, b.dateAdded, p.url, b.title" + where
	take := func(rows *sql.Rows) error {
		if err := rows.Scan(&id, &place, &parent, &added, &address, &title); err != nil {
			return err
		}
		if _, isTag := p.tagFolders[parent.Int64]; isTag {
			return nil
		}
		folder, ok := p.folders[parent.Int64]
		if !ok {
			folder = -1
		}
		p.list.add(&savedLink{
			raw: address, at: -1, attribute: "url", title: title, folder: folder, added: microTime(added.Int64),
			tags: p.tagged[place.Int64],
		})
		return nil
	}
	if damage == nil {
		damage = p.each(query+" ORDER BY b.parent, "+position, take)
	}
	if damage != nil && p.list.count == 0 { // sorting needs all rows; without it, those before the damage come
		p.each(query, take) // which meets the same damage
	}
	return damage
}
