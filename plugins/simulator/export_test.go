package simulator

import "payswitch/sdk"

// Codes are the codes that have a rule of their own for an operation, declines of payments left out.
func Codes(op sdk.Operation) (codes []int64) {
	for _, r := range rules {
		if r.operation == op {
			codes = append(codes, r.code)
		}
	}
	return codes
}
