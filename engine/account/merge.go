package account

import (
	"encoding/json"
	"slices"

	"payswitch/engine/fault"
)

// merged returns sent with each object filled up from the object of the same name in f: keys that sent does not name, or has as null, stay as they
// were. Credentials without auth_type get the one that fits their keys.
func (f Fields) merged(sent Fields) (Fields, error) {
	out := Fields{}
	for name, raw := range sent {
		var new, old map[string]json.RawMessage
		if json.Unmarshal(raw, &new) != nil || new == nil {
			out[name] = raw
			continue
		}
		if json.Unmarshal(f[name], &old) != nil || old == nil {
			old = map[string]json.RawMessage{}
		}
		for key, v := range new {
			if string(v) != "null" {
				old[key] = v
			} else if _, had := old[key]; !had {
				old[key] = v
			}
		}
		if _, named := new["auth_type"]; name == fieldCredentials && !named {
			old["auth_type"], _ = json.Marshal(authTypeOf(old)) // a text always encodes
		}
		all, err := json.Marshal(old)
		if err != nil {
			return nil, fault.Internal(err, "merge "+name)
		}
		out[name] = all
	}
	return out, nil
}

// authTypeOf returns the auth_type whose keys the credentials all have: the one with the most keys.
func authTypeOf(credentials map[string]json.RawMessage) AuthType {
	best := authNoKey
	for name, keys := range authShapes {
		if name == authTemporary || len(keys) <= len(authShapes[best]) {
			continue
		}
		if !slices.ContainsFunc(keys, func(key string) bool { return len(credentials[key]) == 0 || string(credentials[key]) == "null" }) {
			best = name
		}
	}
	return best
}
