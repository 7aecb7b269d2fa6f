//go:build !shrunk

package storage

import "embed"

// migrationFiles has the folder migrations.
//
//go:embed migrations/*.sql
var migrationFiles embed.FS
