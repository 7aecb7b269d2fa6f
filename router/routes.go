package router

// routes is the whole surface: one line per route with who may call it.
//
// To add endpoints: write them in a file of their own, put their lines here, and describe them in openapi.yaml (a test holds the two lists
// and every answer recorded in the tests against each other). A pattern's {names} are read with call.param; {merchant_id} is what
// ownMerchant and adminOrOwn compare the key with.
func (s *Server) routes() []route {
	return []route{
		{method: "GET", pattern: "/health", who: open, handle: s.health},
	}
}
