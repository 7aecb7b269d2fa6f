package threeds

// Route is the first step of a payment.
type Route string

const (
	RouteNone          Route = ""              // to the processor, with nothing claimed
	Route3DS           Route = "3ds"           // to the authenticator, with exempt.Choice.Preference and .Exemption
	RouteAuthorization Route = "authorization" // to the processor, which receives exempt.Choice.Exemption
)
