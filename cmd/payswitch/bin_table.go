package main

import (
	"os"

	"payswitch/engine/card"
)

// readOfferTables reads the file of cards.offer_tables. It returns nil when the setting is empty.
func readOfferTables(path string) ([]byte, error) {
	if path == "" {
		return nil, nil
	}
	tables, err := os.ReadFile(path)
	if err != nil {
		return nil, problem("cards.offer_tables", "cannot be read: %v", err)
	}
	return tables, nil
}

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
