package main

import (
	"os"

	"payswitch/engine/card"
)

// readBINTable reads the file of cards.bin_table. It returns nil when the setting is empty.
func readBINTable(path string) (*card.BINTable, error) {
	if path == "" {
		return nil, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, problem("cards.bin_table", "cannot be read: %v", err)
	}
	defer f.Close()
	t, err := card.ReadBINTable(f)
	if err != nil {
		return nil, problem("cards.bin_table", "%s: %v", path, err)
	}
	return t, nil
}
