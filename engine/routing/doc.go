// Package routing picks the connector account of a payment: by the payment's routing field, the merchant profile's list, and what accounts and
// their adapters can take.
//
// Only engine may import routing. It reads accounts and opens the number of a saved card; it writes nothing.
package routing
