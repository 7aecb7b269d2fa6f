package vault

import (
	"context"
	"fmt"
)

// SealedTable is a table with a column that holds a vault ciphertext or a wrapped data key. List every such column here and in package
// storage. A column that is missing here becomes unreadable after a rotation. A test in storage compares both lists with the schema.
type SealedTable string

const (
	SealedCards       SealedTable = "cards"
	SealedShortTerm   SealedTable = "short_term_keys"
	SealedMerchants   SealedTable = "merchants"
	SealedProfiles    SealedTable = "profiles"
	SealedAccounts    SealedTable = "accounts"
	SealedVersions    SealedTable = "account_versions"
	SealedCustomers   SealedTable = "customers"
	SealedPayments    SealedTable = "payments"
	SealedAttempts    SealedTable = "attempts"
	SealedOperations  SealedTable = "operations"
	SealedExchanges   SealedTable = "exchanges"
	SealedEvents      SealedTable = "events"
	SealedIdempotency SealedTable = "idempotency"
	SealedMethods     SealedTable = "payment_methods"
	SealedMandates    SealedTable = "mandates"
	SealedJournal     SealedTable = "journal"

	SealedEndpoints        SealedTable = "webhook_endpoints"
	SealedDeliveryAttempts SealedTable = "delivery_attempts"

	SealedStaff SealedTable = "staff_users"

	SealedAuthentications        SealedTable = "authentications"
	SealedAuthenticationRequests SealedTable = "authentications.request"
)

// sealedColumn describes how a table's column is sealed.
type sealedColumn struct {
	table      SealedTable
	keyset     string
	associated func(key []string) string // builds the associated text from SealedRow.Key
}

var sealedColumns = []sealedColumn{
	{SealedCards, cardKeyset, func(k []string) string { return string(dataKeyAD(cardAD(k[0], k[1]))) }},
	{SealedShortTerm, cardKeyset, func(k []string) string { return string(dataKeyAD(shortTermAD(k[0], k[1]))) }},
	{SealedMerchants, dataKeyset, func(k []string) string { return MerchantAD(k[0]) }},
	{SealedProfiles, dataKeyset, func(k []string) string { return ProfileAD(k[0], k[1]) }},
	{SealedAccounts, dataKeyset, func(k []string) string { return AccountAD(k[0], k[1]) }},
	{SealedVersions, dataKeyset, func(k []string) string { return AccountVersionAD(k[0], k[1], k[2]) }},
	{SealedCustomers, dataKeyset, func(k []string) string { return CustomerAD(k[0], k[1]) }},
	{SealedPayments, dataKeyset, func(k []string) string { return paymentAD(k[0], k[1]) }},
	{SealedAttempts, dataKeyset, func(k []string) string { return attemptAD(k[0], k[1]) }},
	{SealedOperations, dataKeyset, func(k []string) string { return RequestAD(k[0]) }},
	{SealedExchanges, dataKeyset, func(k []string) string { return ExchangeAD(k[0]) }},
	{SealedEvents, dataKeyset, func(k []string) string { return EventAD(k[0], k[1]) }},
	{SealedIdempotency, dataKeyset, func(k []string) string { return IdempotencyAD(k[0], k[1]) }},
	{SealedMethods, dataKeyset, func(k []string) string { return MethodAD(k[0], k[1]) }},
	{SealedMandates, dataKeyset, func(k []string) string { return MandateAD(k[0], k[1]) }},
	{SealedJournal, dataKeyset, func(k []string) string { return JournalAD(k[0]) }},
	{SealedEndpoints, dataKeyset, func(k []string) string { return EndpointAD(k[0], k[1]) }},
	{SealedDeliveryAttempts, dataKeyset, func(k []string) string { return DeliveryAD(k[0], k[1], k[2]) }},
	{SealedStaff, dataKeyset, func(k []string) string { return StaffAD(k[0]) }},
	{SealedAuthentications, dataKeyset, func(k []string) string { return authenticationAD(k[0], k[1]) }},
	{SealedAuthenticationRequests, dataKeyset, func(k []string) string { return RequestAD(k[0]) }},
}

// SealedTables returns all tables of sealedColumns.
func SealedTables() []SealedTable {
	var out []SealedTable
	for _, c := range sealedColumns {
		out = append(out, c.table)
	}
	return out
}

// SealedRow is the sealed value of one row.
type SealedRow struct {
	Position int64
	Key      []string // the ids that the ciphertext is bound to: merchant and id, or the operation's id
	Sealed   []byte
}

// UnreadableRows calls found for each row whose sealed value does not open: the value was damaged, or its key was destroyed. It reads all tables.
func (v *Vault) UnreadableRows(ctx context.Context, found func(table SealedTable, row SealedRow)) error {
	for _, c := range sealedColumns {
		ring := v.ring(c.keyset)
		for behind := int64(0); ; {
			var rows []SealedRow
			err := v.store.View(ctx, func(s Reader) (err error) {
				rows, behind, err = s.SealedRows(c.table, behind, sealedWindow, "") // whatever their key
				return err
			})
			if err != nil {
				return fmt.Errorf("look for unreadable rows of %s: %w", c.table, err)
			}
			for _, row := range rows {
				plain, err := ring.decrypt(row.Sealed, []byte(c.associated(row.Key)))
				if err != nil {
					found(c.table, row)
				}
				clear(plain)
			}
			if behind == 0 {
				break
			}
		}
	}
	return nil
}
