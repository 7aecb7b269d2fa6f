package sdktest

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"payswitch/sdk"
	"payswitch/sdk/nearest"
)

// probeNames is the number of undeclared names in one step. More names would make the guest's memory grow, and it is then made anew.
const probeNames = 100

// probeSteps is the number of steps of one operation that the suite probes.
const probeSteps = 12

// usualNames are common names of account fields in adapters, and the names in the merchants' own request.
var usualNames = []string{"api_key", "key1", "api_secret", "key2", "key", "secret", "secret_key", "public_key", "private_key", "signing_key",
	"signature_key", "shared_secret", "client_id", "client_secret", "token", "user", "username", "login", "password", "merchant", "merchant_id",
	"merchant_account", "merchant_code", "account", "account_id", "app_id", "app_name", "shop_id", "site_id", "store_id", "terminal_id", "profile_id",
	"processing_channel_id", "entity", "entity_id", "webhook_secret", "webhook_key", "hmac_key", "prefix", "region", "environment", "mode", "mid"}

// checkNames finds names that the adapter reads from the account but the manifest does not declare. It adds values to the account under every
// name one typing slip away from a declared name. It does the same under the merchants' names of the fields, and under usual names. If the adapter reads
// declared names alone, its answer stays the same. The check works for every language, as it looks at behaviour.
func (c *checker) checkNames(asked []turn) {
	type name struct {
		config bool
		name   string
	}
	var all []name
	for _, n := range c.undeclared(c.manifest.Credentials, c.manifest.Config) {
		all = append(all, name{false, n})
	}
	for _, n := range c.undeclared(c.manifest.Config, c.manifest.Credentials) {
		all = append(all, name{true, n})
	}
	reported, seen, probed := map[name]bool{}, map[string]bool{}, map[sdk.Operation]int{}
	for _, t := range asked {
		before, err := c.answered(t.step)
		if err != nil || seen[string(before)] { // RuleMessage reports errors; the same answer needs no second probe
			continue
		}
		seen[string(before)] = true
		if probed[t.step.Operation]++; probed[t.step.Operation] > probeSteps {
			continue
		}
		differs := func(names []name) bool {
			s := *t.step
			s.Account.Credentials, s.Account.Config = clone(s.Account.Credentials), clone(s.Account.Config)
			for _, n := range names {
				if n.config {
					s.Account.Config[n.name] = standIn("probe" + n.name)
				} else {
					s.Account.Credentials[n.name] = standIn("probe" + n.name)
				}
			}
			after, err := c.answered(&s)
			return err == nil && !bytes.Equal(before, after)
		}
		var search func(names []name)
		search = func(names []name) {
			names = slices.DeleteFunc(slices.Clone(names), func(n name) bool { return reported[n] })
			if len(names) == 0 || !differs(names) {
				return
			}
			if len(names) > 1 {
				search(names[:len(names)/2])
				search(names[len(names)/2:])
				return
			}
			reported[names[0]] = true
			c.breaks(RuleFields, t.step.Operation, "%s", c.undeclaredText(names[0].name, names[0].config))
		}
		for names := range slices.Chunk(all, probeNames) {
			search(names)
		}
	}
}

// clone returns a writable copy.
func clone(m map[string]string) map[string]string {
	n := maps.Clone(m)
	if n == nil {
		n = map[string]string{}
	}
	return n
}

// undeclared returns names close to the fields' names, without the fields' names themselves, in order.
func (c *checker) undeclared(fields, others []sdk.Field) []string {
	all := map[string]bool{}
	for _, n := range usualNames {
		all[n] = true
	}
	for _, f := range slices.Concat(fields, others) {
		all[f.Name], all[f.Key] = true, true
	}
	for _, f := range fields {
		for _, n := range slips(f.Name) {
			all[n] = true
		}
	}
	for _, f := range fields {
		delete(all, f.Name)
	}
	delete(all, "")
	if c.declared(sdk.OpAccessToken) {
		delete(all, "access_token")
	}
	return slices.Sorted(maps.Keys(all))
}

// slips returns the texts that one typing slip makes of a name: a character is missing, doubled, changed, added or swapped with the next one.
// It adds the name in other cases.
func slips(name string) (all []string) {
	const alphabet = "abcdefghijklmnopqrstuvwxyz0123456789_-"
	for i := range len(name) + 1 {
		for _, c := range alphabet {
			all = append(all, name[:i]+string(c)+name[i:])
			if i < len(name) {
				all = append(all, name[:i]+string(c)+name[i+1:])
			}
		}
		if i < len(name) {
			all = append(all, name[:i]+name[i+1:])
		}
		if i+1 < len(name) {
			all = append(all, name[:i]+name[i+1:i+2]+name[i:i+1]+name[i+2:])
		}
	}
	camel := ""
	for i, word := range strings.Split(name, "_") {
		if i > 0 && word != "" {
			word = strings.ToUpper(word[:1]) + word[1:]
		}
		camel += word
	}
	return append(all, strings.ToUpper(name), strings.ToLower(name), camel, strings.ReplaceAll(name, "_", ""), strings.ReplaceAll(name, "_", "-"))
}

// undeclaredText returns the report of an undeclared name, with the name that the author probably meant.
func (c *checker) undeclaredText(name string, config bool) string {
	list, fields, others := "credential", c.manifest.Credentials, c.manifest.Config
	if config {
		list, fields, others = "config field", c.manifest.Config, c.manifest.Credentials
	}
	text := "the adapter reads the " + list + " " + quoted(name) + ", which the manifest does not declare"
	for _, f := range fields {
		if f.Key == name {
			return text + ": merchants send " + quoted(f.Name) + " under that key; read it by its name " + quoted(f.Name)
		}
	}
	for _, f := range others {
		if f.Name == name || f.Key == name {
			return text + ": the field stands in the other list; read it there by its name " + quoted(f.Name)
		}
	}
	var names []string
	for _, f := range fields {
		names = append(names, f.Name)
	}
	if meant := nearest.Of(name, names); meant != "" {
		return text + ": did you mean " + quoted(meant) + "?"
	}
	return text + ": declare it"
}

func quoted(s string) string { return `"` + s + `"` }
