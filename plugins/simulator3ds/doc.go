// Package simulator3ds is a 3-D Secure server, its directory server and the card issuers' access control servers (ACS) in one HTTP
// handler, for development and tests: no money, no card network, nothing kept but in memory. It is never served in production.
//
// Towards the switch it speaks the wire shape of 3dsecure.io (POST /sim/3ds/preauth, /auth, /postauth: flat EMV 3-D Secure messages as JSON,
// authenticated by the header APIKey), so that the adapter of that vendor, unchanged but for its base URL, is what development and tests
// run. Towards browsers it serves the ACS's pages: the 3DS method (/sim/acs/method) and the challenge (/sim/acs/challenge).
//
// What it answers is decided by four digits of the card number (see Card); README.md has the tables, and GET /sim/3ds/cards shows them.
//
// Field names and message rules are those of EMV 3-D Secure 2.1.0, 2.2.0 and 2.3.1.
package simulator3ds
