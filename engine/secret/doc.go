// Package secret has Value, which nothing prints, and helpers for JSON whose texts are secret.
//
// Card numbers, CVCs, credentials and keys are Values from the first line that reads them. Value.Reveal is the only way out.
//
// Any higher room may import secret. It must never print, log or encode what a Value holds.
package secret
