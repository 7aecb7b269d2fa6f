package router

import (
	"strings"

	"payswitch/engine/fault"
)

// reservedNames returns the names that stand behind a collection in fixed paths: list of /payments/list, by payments/list.
func reservedNames(routes []route) map[string]bool {
	names := map[string]bool{}
	for i := range routes {
		if s := routes[i].segments; len(s) > 1 && !strings.HasPrefix(s[1], "{") {
			names[s[0]+"/"+s[1]] = true
		}
	}
	return names
}

// unreserved refuses a new id that is such a name: the API could not be asked for what has the id, and GET /customers/list shows every customer. What was made
// with such an id before can still be used. Error: IR_06 (422).
func (s *Server) unreserved(collection, field, id string) error {
	if id == "" || !s.reserved[collection+"/"+id] {
		return nil
	}
	return fault.Unprocessable(field, field+" must not be "+id+": /"+collection+"/"+id+" is a path of the API").WithHint("Choose another " + field + ".")
}
