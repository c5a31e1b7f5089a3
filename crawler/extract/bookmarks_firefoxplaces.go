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

// placesFormat is places.sqlite, where Firefox keeps bookmarks and history. Only the
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

// placesCopyFormat is a copy of places.sqlite under another name. It is a separate format
// because the first bytes of a database do not show what it contains, and most databases
// have nothing to do with Firefox.
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
	// maxDatabase is the maximum size of a database, and of its journal, in bytes.
	maxDatabase = 2 << 30
	// placesTimeout limits the time for reading one database.
	placesTimeout = 2 * time.Minute
	// maxPlacesRows limits the rows of one query: bookmarks, folders and tags.
	maxPlacesRows = 4 * MaxLinks
)

// readPlaces reads a copy of the database, so that Firefox can keep writing to the
// original and its locks do not matter.
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
	if err := restoreLength(copied); err != nil {
		h.fault("read bookmarks: %v", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), placesTimeout)
	defer cancel()
	list := newBookmarkList(h, in, "bookmark", 0)
	if err := readPlacesDatabase(ctx, list, copied); err != nil {
		h.fault("read bookmarks: %v", err)
	}
	list.finish()
}

// restoreLength extends a truncated copy to the length that its header gives (SQLite
// Database File Format, 1.3), because SQLite refuses to open it otherwise. Reading a
// missing page then fails. The error says that the database is truncated.
func restoreLength(copied string) error {
	if journal, err := os.Stat(copied + "-wal"); err == nil && journal.Size() > 0 {
		return nil // the missing pages may be in the journal
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
		return nil // SQLite reports that this is not a database
	}
	page := int64(binary.BigEndian.Uint16(head[16:]))
	if page == 1 {
		page = 1 << 16
	}
	length := page * int64(binary.BigEndian.Uint32(head[28:]))
	if string(head[:16]) != sqliteMagic || length <= info.Size() || length > maxDatabase {
		return nil
	}
	return errors.Join(fmt.Errorf("the database is truncated: it has only %d of %d bytes", info.Size(), length), f.Truncate(length))
}

// copyDatabase copies a database and its journal. It tries again if either changed while
// it was being copied.
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
				os.Remove(to + journal) // left by an earlier attempt
			} else if err != nil {
				return err
			}
		}
		if after, err := databaseState(from); err == nil && after == before {
			return nil
		}
	}
	return fmt.Errorf("%s keeps changing while it is being read", filepath.Base(from))
}

// databaseState returns a string that changes when a database or its journal does.
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
	n, err := io.Copy(out, io.LimitReader(in, maxDatabase+1))
	if n > maxDatabase {
		return fmt.Errorf("%s is longer than %d bytes", filepath.Base(from), int64(maxDatabase))
	}
	return err
}

// placesSource returns SQLite's data source name for a copy, given its absolute path with
// slashes.
func placesSource(slashed string) string {
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // otherwise the drive letter would be read as a host
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
	// In a damaged database, one step may fail and a later one succeed.
	var first error
	for _, step := range []func() error{p.readFolders, p.readTags, p.readBookmarks} {
		if err := step(); first == nil {
			first = err
		}
	}
	return first
}

// placesReader reads the tables one after the other. Old versions of Firefox have
// different columns, so the queries depend on the columns that exist.
type placesReader struct {
	ctx  context.Context
	db   *sql.DB
	list *bookmarkList

	bookmarks  map[string]bool // the columns of the table
	folders    map[int64]int32
	tagFolders map[int64]string
	tagged     map[int64][]string // tags by place ID
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
	var isTable bool // a view could have an unlimited number of rows
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
		return errors.New("the database contains no Firefox bookmarks")
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

// each runs a query and calls row for each of its rows, of which maxPlacesRows are
// allowed.
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

// readFolders reads all folders and finds the one whose children are tags.
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

// readTags reads the tags of each place: the tag folders that contain it.
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
		if tag, ok := p.tagFolders[parent]; ok && tag != "" && len(p.tagged[place.Int64]) < maxTags {
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
		p.list.add(&foundBookmark{
			raw: address, at: -1, attribute: "url", title: title, folder: folder, added: microTime(added.Int64),
			tags: p.tagged[place.Int64],
		})
		return nil
	}
	if damage == nil {
		damage = p.each(query+" ORDER BY b.parent, "+position, take)
	}
	if damage != nil && p.list.count == 0 { // without sorting, the rows before the damage can be read
		p.each(query, take) // it fails with the same error
	}
	return damage
}
