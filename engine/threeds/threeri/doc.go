// Package threeri decides whether, and as what, a merchant-initiated payment is authenticated without its payer (3RI). NewPlan is a pure function;
// engine/threeds/flow carries the plan out. It must not read a store or a clock.
//
// Source: EMV 3-D Secure Protocol and Core Functions Specification 2.2.0 and 2.3.1, threeRIInd.
package threeri
