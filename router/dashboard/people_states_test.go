package dashboard

import (
	"net/http"
	"net/http/httptest"
	"strings"

	"payswitch/engine/staff"
)

// peopleStates returns the states of the pages about people.
func peopleStates() []state {
	c := &call{Request: httptest.NewRequest(http.MethodGet, "/", nil), Session: &staff.Session{Grants: []staff.Grant{{Role: staff.Operator},
		{Role: staff.Admin}}}}
	login := func(problem string) *loginPage {
		return &loginPage{Problem: problem, Next: "/m/acme/", Passkeys: true, Again: problem == "",
			Email:    Field{Name: "email", Label: "E-mail address", Kind: "email", Required: true, Autocomplete: "username"},
			Password: Field{Name: "password", Label: "Password", Kind: "password", Required: true, Autocomplete: "current-password"}}
	}
	code := &Field{Name: "code", Label: "Code of your authenticator app", Kind: "text", Required: true, Autocomplete: "one-time-code",
		Hint: "Without your phone, type one of your recovery codes."}
	password := Field{Name: "password", Label: "New password", Kind: "password", Required: true, Autocomplete: "new-password",
		Hint: "At least 12 characters."}
	qr, err := qrImage("otpauth://totp/payswitch:ada@example.com?algorithm=SHA1&digits=6&issuer=payswitch&period=30&secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")
	if err != nil {
		panic(err)
	}
	enrol := enrolPage{Must: true, Passkeys: true, Next: "/", Code: Field{Name: "code", Label: "Code that the app shows", Kind: "text", Required: true},
		Name: Field{Name: "name", Label: "Name of the passkey", Kind: "text", Hint: "Such as: laptop, or key on the ring."}}
	withApp := enrol
	withApp.Key, withApp.QR, withApp.Must, withApp.Passkeys = grouped("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"), qr, false, false
	withApp.Code.Problem = "The code does not match: check the time of your phone, and type the code that the app shows now."
	roles := []roleLine{{"operator", "the installation", ""}, {"support", long, "100.00 EUR, 100.00 USD"}}
	me := mePage{Email: "ada@example.com", Roles: roles, Fields: preferenceFields(staff.Preferences{Name: "Ada Lovelace", TimeZone: "Europe/Berlin",
		Theme: "dark"}), Fresh: true,
		Confirm: "/confirm?next=/me", App: true, Recovery: 9, HasSecond: true, MayAdd: true, Done: "Saved.", Password: password,
		Passkeys: []passkeyLine{{"00", "Laptop", at(0), at(0)}, {"01",
			"A passkey with a name that somebody made very long indeed, to see what happens", at(0), at(0)}},
		Logins: []loginLine{{"s1", "Chrome on Linux", "192.0.2.1", "now", at(0), true}, {"s2", "Safari on iPhone",
			"2001:db8:1234:5678:9abc:def0:1234:5678", "3 May 2026, 12:02", at(0), false}}}
	bare := mePage{Email: "ada@example.com", Fields: preferenceFields(staff.Preferences{Name: "Ada"}), Confirm: "/confirm?next=/me",
		Problem: "This is your only second factor, and your role needs one: add another first."}
	people := []personLine{{"/team/user_1", "Ada Lovelace", "ada@example.com", "admin of all merchants, operator", "now", Chip{"active",
		"good", "✓"}, true},
		{"/team/user_2", "كريم عبد العزيز", "a_person_with_a_long_address@a-long-domain-name.shop.example", "support of " + long,
			"never", Chip{"invited", "go", "●"}, false},
		{"/team/user_3", "Dr. Maximiliane Wolkenstein-Trostburg von und zu Rodenegg", "m@example.com", "viewer", "3 May 2026, 12:02",
			Chip{"locked", "wait", "▲"}, true}}
	member := memberPage{At: "/team/user_2", Back: "/team", Name: "Dr. Maximiliane Wolkenstein-Trostburg von und zu Rodenegg",
		Email: "m@example.com", Chip: Chip{"locked", "wait", "▲"}, Seen: "never",
		Since: at(0), Roles: roles, Here: true, Fields: []Field{roleField(c, staff.Support), {Name: "limits", Label: "Limit for one payment",
			Kind: "text", Value: "100.00 EUR"}}, Whole: true,
		Locked: true, Fresh: true, Confirm: "/confirm?next=/team/user_2", Merchant: "acme"}
	own := member
	own.Own, own.Fresh, own.Problem = true, false, "The role operator is for the whole installation: leave the merchant out."
	return []state{
		{"login", login("")},
		{"login-wrong", login(asSentence(staff.ErrLogin))},
		{"confirm", &confirmPage{Half: true, Next: "/", Code: code, Passkey: true, Recovery: true}},
		{"confirm-password", &confirmPage{Next: "/me", Email: "ada@example.com", Password: &Field{Name: "password", Label: "Password", Kind: "password", Required: true,
			Autocomplete: "current-password"}, Problem: asSentence(staff.ErrLogin)}},
		{"confirm-none", &confirmPage{Next: "/me", None: true}},
		{"enter-first", &enterPage{First: true, Link: "x", Fields: []Field{{Name: "email", Label: "Your e-mail address", Kind: "email",
			Required: true, Autocomplete: "username", Hint: "It names you at the login. payswitch sends no mail."},
			{Name: "password", Label: "Password", Kind: "password", Autocomplete: "new-password",
				Problem: "The password has 5 characters: choose at least 12."}}}},
		{"enter", &enterPage{Link: "x", Who: "ada@example.com", Fields: []Field{{Name: "name", Label: "Your name", Kind: "text", Value: "Ada"}}}},
		{"enter-demo", &enterPage{Link: "x", Enter: true, Who: "demo@example.com"}},
		{"enrol", &enrol},
		{"enrol-app", &withApp},
		{"codes", &codesPage{Codes: []string{"7KQ2M-XW9PD", "7KQ2M-XW9PE", "7KQ2M-XW9PF", "7KQ2M-XW9PG", "7KQ2M-XW9PH"}, Next: "/"}},
		{"link", &linkPage{Name: "Ada", Email: "ada@example.com",
			URL: "https://dashboard.example/enter/abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG", Back: "/team"}},
		{"me", &me},
		{"me-bare", &bare},
		{"team", &teamPage{At: "/team", All: true, People: people, Fields: inviteFields(c, nil), Fresh: true}},
		{"team-stale", &teamPage{At: "/m/acme/team", People: people[:1], Confirm: "/confirm?next=/m/acme/team",
			Problem: "A user with this address has a role here already: change it in the list."}},
		{"member", &member},
		{"member-own", &own},
		{"audit", &auditPage{Lines: []auditLine{{at(0), "Ada Lovelace", "changed roles", "كريم عبد العزيز",
			"address: 2001:db8:1234:5678:9abc:def0:1234:5678, roles: support"},
			{at(0), "", "was refused at the login", "", "with: password"}}, Pager: Pager{Newest: "/audit", Older: "/audit?after=aud_1"}}},
		{"audit-verified", &auditPage{All: true, Path: "/audit", Chain: chainBlock(&staff.Verified{Lines: 12345, Older: 1, Hash: strings.Repeat("0123456789abcdef", 4)}), Empty: Empty{Heading: "Nothing yet"}}},
		{"audit-broken", &auditPage{All: true, Path: "/audit", Chain: chainBlock(&staff.Verified{Break: "line aud_0197d2a1c57b7d0e8a4b5b7e0f3d2c1b of 3 May 2026 does not follow the line before it"}), Empty: Empty{Heading: "Nothing yet"}}},
		{"audit-empty", &auditPage{Empty: Empty{Heading: "Nothing yet", Text: "Each change that asks for a second factor gets a line here."}}},
	}
}
