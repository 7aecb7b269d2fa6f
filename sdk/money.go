package sdk

// Currency is an ISO 4217 code in upper case.
type Currency string

// Money is an amount in minor units of its currency: {1050, "USD"} is 10.50 dollars, {1050, "JPY"} is 1050 yen.
type Money struct {
	Minor    int64    `json:"minor"`
	Currency Currency `json:"currency"`
}
