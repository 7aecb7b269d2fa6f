package simulator

import "payswitch/sdk"

// Codes returns the amount codes with a rule for an operation, without the declines of payments.
func Codes(op sdk.Operation) (codes []int64) {
	for _, r := range rules {
		if r.operation == op {
			codes = append(codes, r.code)
		}
	}
	return codes
}
