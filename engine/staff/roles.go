package staff

import "slices"

// Role is what a person may do, at one merchant or at all of them. Roles are code: this file has the one table.
type Role string

// The roles. Operator is given for the whole installation alone.
const (
	Viewer    Role = "viewer"    // reads payments and customers
	Support   Role = "support"   // helps customers: refunds up to a limit
	Developer Role = "developer" // integrates: keys, webhooks, test mode
	Admin     Role = "admin"     // runs a merchant
	Operator  Role = "operator"  // hosts the installation
)

// Roles returns all roles, in the order of pages.
func Roles() []Role { return []Role{Viewer, Support, Developer, Admin, Operator} }

// Valid reports whether r is one of Roles.
func (r Role) Valid() bool { return slices.Contains(Roles(), r) }

// Privileged reports whether a role needs a second factor at every login, and a short idle time.
func (r Role) Privileged() bool { return r == Admin || r == Operator }

// Permission is one thing that a page does.
type Permission string

// Permissions at a merchant.
const (
	SeePayments     Permission = "payments.see" // payments, refunds, disputes, customers; e-mail addresses are masked
	UnmaskCustomers Permission = "customers.unmask"
	ManageCustomers Permission = "customers.manage" // remove a kept method, revoke a mandate, forget a customer
	SeeEvents       Permission = "events.see"
	SeeExchanges    Permission = "exchanges.see" // what went to the processor and back, with stand-ins
	SeeLogs         Permission = "logs.see"
	MoveMoney       Permission = "money.move" // refund, capture, void: ask Session.MayMove about the amount
	AnswerDisputes  Permission = "disputes.answer"
	ManageLinks     Permission = "links.manage" // payment links
	Resend          Permission = "events.resend"
	ManageKeys      Permission = "keys.manage"
	ManageURLs      Permission = "urls.manage" // return URL, webhook URL and secrets, endpoints
	UseSimulator    Permission = "simulator.use"
	SeeSettings     Permission = "settings.see"    // connectors, authenticators, routing, profiles
	ChangeSettings  Permission = "settings.change" // the same
	ManageTeam      Permission = "team.manage"
	Decide          Permission = "decisions.make" // unknown outcomes
	SeeAudit        Permission = "audit.see"
)

// Permissions for the installation. Session.May takes no merchant for them.
const (
	ManageAdapters  Permission = "adapters.manage" // adapters, hosts, placements
	SeeSystem       Permission = "system.see"
	ManageMerchants Permission = "merchants.manage"
	ManageUsers     Permission = "users.manage" // users of every merchant
)

// Reach is how far a permission goes.
type Reach int

// The reaches. A greater one includes the smaller ones.
const (
	Never    Reach = iota
	TestOnly       // not at live accounts, and not live keys
	ToLimit        // money up to the grant's limit
	Always
)

// table is what each role may do. A missing entry is Never.
var table = map[Permission]map[Role]Reach{
	SeePayments:     {Viewer: Always, Support: Always, Developer: Always, Admin: Always},
	UnmaskCustomers: {Support: Always, Admin: Always},
	ManageCustomers: {Support: Always, Admin: Always},
	SeeEvents:       {Support: Always, Developer: Always, Admin: Always, Operator: Always},
	SeeExchanges:    {Developer: Always, Admin: Always, Operator: Always},
	SeeLogs:         {Developer: Always, Admin: Always, Operator: Always},
	MoveMoney:       {Support: ToLimit, Developer: TestOnly, Admin: Always},
	AnswerDisputes:  {Support: Always, Admin: Always},
	ManageLinks:     {Support: Always, Developer: TestOnly, Admin: Always},
	Resend:          {Support: Always, Developer: Always, Admin: Always},
	ManageKeys:      {Developer: TestOnly, Admin: Always},
	ManageURLs:      {Developer: Always, Admin: Always},
	UseSimulator:    {Developer: Always, Admin: Always},
	SeeSettings:     {Developer: Always, Admin: Always},
	ChangeSettings:  {Developer: TestOnly, Admin: Always},
	ManageTeam:      {Admin: Always},
	Decide:          {Admin: Always, Operator: Always},
	SeeAudit:        {Admin: Always, Operator: Always},

	ManageAdapters:  {Operator: Always},
	SeeSystem:       {Operator: Always},
	ManageMerchants: {Operator: Always},
	ManageUsers:     {Operator: Always},
}

// ReachOf returns how far a permission goes for a role.
func ReachOf(r Role, p Permission) Reach { return table[p][r] }

// Holders returns the roles that have a permission at least in part, in the order of Roles. A page names them to people who lack it.
func Holders(p Permission) []Role {
	var out []Role
	for _, r := range Roles() {
		if table[p][r] > Never {
			out = append(out, r)
		}
	}
	return out
}

// needsStepUp are the permissions whose use asks for the second factor again, unless it was given within StepUpTime.
var needsStepUp = map[Permission]bool{ManageKeys: true, ManageURLs: true, ManageTeam: true, ManageUsers: true, ManageAdapters: true, Decide: true,
	ManageMerchants: true}

// NeedsStepUp reports whether a change under p asks for a fresh second factor. Credentials of connectors need it too, and the activation of
// routing in live: those pages ask Session.Fresh themselves.
func NeedsStepUp(p Permission) bool { return needsStepUp[p] }
