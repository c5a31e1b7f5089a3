package main

import (
	"bytes"
	"database/sql"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/cespare/xxhash/v2"
)

// citedTexts are the texts of a page that is cited, one after the other.
var citedTexts = []string{
	"Every spring the river rises above the meadow and leaves its mud on the path, so the people of the village walk along the hill until the summer.",
	"Bread is made of flour, water and salt, and of the patience of somebody who lets it rest for a night in a cool place without which it is cake.",
	"Play now and win big with the best casino bonus of the year, deposit ten and get one hundred free spins with no questions asked by anybody.",
}

const citedTitle = "The cited page"

// sealed returns a record with its checksum.
func sealed(key, data []byte) []byte {
	return binary.LittleEndian.AppendUint64(bytes.Clone(data), xxhash.Sum64(slices.Concat(key, data)))
}

// changeText changes the record of the only text that a file remembers.
func changeText(t *testing.T, file string, change func(key, data []byte) []byte) {
	t.Helper()
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var key, data []byte
	if err := db.QueryRow("SELECT key, record FROM entry WHERE kind = 'sketch'").Scan(&key, &data); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("UPDATE entry SET record = ? WHERE key = ?", change(key, data), key); err != nil {
		t.Fatal(err)
	}
}
