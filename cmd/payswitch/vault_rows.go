package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"payswitch/engine/vault"
)

// vaultRows lists the rows without a valid signature of the vault, and with --sign signs one of them.
func (p *program) vaultRows(ctx context.Context, args []string) error {
	f := p.flags("vault rows")
	show := f.Bool("show", false, "show the columns of the listed rows; they hold merchants' data, but no secret in clear")
	sign := f.String("sign", "", "sign this row, `table:row` as in the list, after you have checked that every column is right")
	yes := f.Bool("yes", false, "with --sign: sign the row; without --yes the command only shows it")
	return p.withVault(ctx, f, args, func(ctx context.Context, _ Config, v *vault.Vault) error {
		var found []vault.SignedRow
		n := 0
		err := v.AlteredRows(ctx, func(table string, row vault.SignedRow) {
			name := table + ":" + strings.Join(row.Key, "/")
			if *sign != "" && name != *sign {
				return
			}
			n++
			why := "altered"
			if len(row.Signature) == 0 {
				why = "not signed"
			}
			fmt.Fprintf(p.stdout, "%s\t%s\n", name, why)
			if *show || *sign != "" {
				p.printRow(row)
			}
			if *sign != "" {
				found = append(found, row)
			}
		})
		switch {
		case err != nil:
			return err
		case *sign == "" && n == 0:
			fmt.Fprintln(p.stdout, "every signed row is as payswitch wrote it")
			return nil
		case *sign == "":
			return fmt.Errorf("payswitch does not use %d rows until you restore or sign them: read Altered rows in OPERATIONS.md before you do either", n)
		case n == 0:
			return fmt.Errorf("--sign %s: no altered row has this name; `payswitch vault rows` lists them", *sign)
		case !*yes:
			return errors.New("nothing was signed: look at every column above, then add --yes")
		}
		table, _, _ := strings.Cut(*sign, ":")
		for _, row := range found {
			if err := v.SignRow(ctx, table, row); err != nil {
				return err
			}
			fmt.Fprintln(p.stdout, "signed:", *sign)
		}
		return nil
	})
}

// printRow prints a row's columns. Bytes are sealed or hashed, so that it prints only their length.
func (p *program) printRow(row vault.SignedRow) {
	for _, c := range row.Columns {
		value := fmt.Sprintf("%v", c.Value)
		switch v := c.Value.(type) {
		case nil:
			value = "-"
		case []byte:
			value = fmt.Sprintf("%d bytes", len(v))
		case string:
			value = fmt.Sprintf("%q", v)
		}
		if c.Free {
			value += " (not signed)"
		}
		fmt.Fprintf(p.stdout, "  %s: %s\n", c.Name, value)
	}
}
