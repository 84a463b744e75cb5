// Answers questions about a Merkle tree with the implementation of Go's module mirror, for test/real/tlog.test.ts. Reads
// a JSON object from standard input and writes one to standard output. Bytes are hexadecimal.
package main

import (
	"encoding/hex"
	"encoding/json"
	"log"
	"os"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type questions struct {
	Leaves []string
	// Sizes of the trees whose root hashes are requested.
	Roots []int64
	// Requested inclusion proofs, as pairs of tree size and record index.
	Records [][2]int64
	// Requested consistency proofs, as pairs of newer and older tree size.
	Trees [][2]int64
	// A signed note and the key that verifies it.
	Note, Key string
}

type answers struct {
	Roots   []string   `json:"roots"`
	Records [][]string `json:"records"`
	Trees   [][]string `json:"trees"`
	Note    string     `json:"note"`
}

type storage []tlog.Hash

func (s storage) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	hashes := make([]tlog.Hash, len(indexes))
	for i, index := range indexes {
		hashes[i] = s[index]
	}
	return hashes, nil
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func hexOf(hashes []tlog.Hash) []string {
	texts := make([]string, len(hashes))
	for i, hash := range hashes {
		texts[i] = hex.EncodeToString(hash[:])
	}
	return texts
}

func main() {
	var asked questions
	if err := json.NewDecoder(os.Stdin).Decode(&asked); err != nil {
		log.Fatal(err)
	}
	var hashes storage
	for index, leaf := range asked.Leaves {
		hashes = append(hashes, must(tlog.StoredHashes(int64(index), must(hex.DecodeString(leaf)), hashes))...)
	}
	var told answers
	for _, size := range asked.Roots {
		root := must(tlog.TreeHash(size, hashes))
		told.Roots = append(told.Roots, hex.EncodeToString(root[:]))
	}
	for _, record := range asked.Records {
		told.Records = append(told.Records, hexOf(must(tlog.ProveRecord(record[0], record[1], hashes))))
	}
	for _, tree := range asked.Trees {
		told.Trees = append(told.Trees, hexOf(must(tlog.ProveTree(tree[0], tree[1], hashes))))
	}
	verifier := must(note.NewVerifier(asked.Key))
	told.Note = must(note.Open([]byte(asked.Note), note.VerifierList(verifier))).Text
	if err := json.NewEncoder(os.Stdout).Encode(told); err != nil {
		log.Fatal(err)
	}
}
