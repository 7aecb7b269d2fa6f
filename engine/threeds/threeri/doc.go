// Package threeri decides whether, and as what, a merchant-initiated payment is authenticated without its payer (3RI). NewPlan is a pure function;
// engine/threeds/flow carries the plan out.
//
// Source: EMV 3-D Secure Protocol and Core Functions Specification 2.2.0 and 2.3.1, threeRIInd.
//
// Of the rooms, threeds/flow alone imports threeri. It must never read a store or a clock.
package threeri
