// Package simulator3ds simulates a 3-D Secure server, the schemes' directory server and the card issuers' access
// control servers (ACS). It is one HTTP handler for development and tests. It moves no money, calls no card network and
// keeps its data in memory. The program does not serve it in production.
//
// The handler has the API of 3dsecure.io for payswitch: POST /sim/3ds/preauth, /auth and /postauth take flat EMV 3-D
// Secure messages as JSON, with the header APIKey. So development and tests run the adapter of that vendor, with
// another base URL. For browsers, the handler serves the pages of the ACS: the 3DS method (/sim/acs/method) and the
// challenge (/sim/acs/challenge).
//
// Four digits of the card number decide the answers (see CardNumber). README.md has the tables, and GET /sim/3ds/cards
// shows them.
//
// This package is a part of the host, not an adapter. It may import engine and sdk; package router must not import it.
//
// Field names and message rules are those of EMV 3-D Secure 2.1.0, 2.2.0 and 2.3.1.
package simulator3ds
