package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBINTable(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "bins.csv")
	require.NoError(t, os.WriteFile(path, []byte("iin_start,type,bank_name,country\n42424242,debit,Bank of Tests,CH\n"), 0o600))
	env := append(testEnv(t, t.TempDir()), "PAYSWITCH_CARDS__BIN_TABLE="+path)
	r := start(t, env, "serve", "--config", writeConfig(t, ""))
	key := r.shop("shop")
	card := r.must(key, "/payments", cardPayment("pay_1"))["payment_method_data"].(map[string]any)["card"].(map[string]any)
	require.Equal(t, "Bank of Tests", card["card_issuer"])
	require.Equal(t, "DEBIT", card["card_type"])
	require.Equal(t, "CH", card["card_issuing_country"])
	require.Equal(t, "Visa", card["card_network"], "from what is built in")
	o := cardPayment("pay_2")
	o["payment_method_data"].(object)["card"].(object)["card_number"] = "5555555555554444"
	card = r.must(key, "/payments", o)["payment_method_data"].(map[string]any)["card"].(map[string]any)
	require.Equal(t, "Mastercard", card["card_network"])
	for _, unknown := range []string{"card_issuer", "card_type", "card_issuing_country"} {
		require.Nil(t, card[unknown], unknown)
	}
	r.stop()

	require.NoError(t, os.WriteFile(path, []byte("iin_start\nx\n"), 0o600))
	code, _, stderr := runProgram(t, env, "serve", "--config", writeConfig(t, ""))
	require.Equal(t, exitFailed, code)
	require.Contains(t, stderr, "cards.bin_table: "+path+": read BIN table: line 2: ")
}
