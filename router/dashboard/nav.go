package dashboard

import (
	"strings"

	"payswitch/engine/staff"
)

// navGroup is a part of the menu.
type navGroup struct {
	Heading string
	Items   []navItem
}

// navItem is one entry of the menu.
type navItem struct {
	URL, Text string
	Key       string // goes there after g; "" for none
	Here      bool
	needs     staff.Permission
	anywhere  bool // for people with the permission at any merchant
}

// menu lists all entries, with paths below the merchant's pages, or paths of the installation in the last group.
var menu = []navGroup{
	{"Money", []navItem{
		{URL: "/", Text: "Overview", Key: "h", needs: staff.SeePayments},
		{URL: "/payments", Text: "Payments", Key: "p", needs: staff.SeePayments},
		{URL: "/refunds", Text: "Refunds", needs: staff.SeePayments},
		{URL: "/disputes", Text: "Disputes", needs: staff.SeePayments},
		{URL: "/customers", Text: "Customers", Key: "c", needs: staff.SeePayments},
		{URL: "/links", Text: "Links", Key: "l", needs: staff.SeePayments},
	}},
	{"Developers", []navItem{
		{URL: "/events", Text: "Events", Key: "e", needs: staff.SeeEvents},
		{URL: "/webhooks", Text: "Webhooks", needs: staff.ManageURLs},
		{URL: "/keys", Text: "Keys", needs: staff.ManageKeys},
		{URL: "/checkout", Text: "Checkout", needs: staff.SeeSettings},
		{URL: "/logs", Text: "Logs", needs: staff.SeeLogs},
		{URL: "/simulator", Text: "Simulator", needs: staff.UseSimulator},
	}},
	{"Settings", []navItem{
		{URL: "/setup", Text: "Set-up", needs: staff.SeeSettings},
		{URL: "/connectors", Text: "Connectors", needs: staff.SeeSettings},
		{URL: "/3ds", Text: "3-D Secure", needs: staff.SeeSettings},
		{URL: "/routing", Text: "Routing", Key: "r", needs: staff.SeeSettings},
		{URL: "/profiles", Text: "Profiles", needs: staff.SeeSettings},
	}},
	{"Merchant", []navItem{
		{URL: "/team", Text: "Team", needs: staff.ManageTeam},
		{URL: "/audit", Text: "Audit", needs: staff.SeeAudit},
	}},
}

// installation lists the entries that are about no merchant.
var installation = navGroup{"Installation", []navItem{
	{URL: "/system", Text: "System", Key: "s", needs: staff.SeeSystem},
	{URL: "/setup", Text: "Merchants", needs: staff.ManageMerchants},
	{URL: "/adapters", Text: "Adapters", needs: staff.ManageAdapters},
	{URL: "/decisions", Text: "Decisions", Key: "d", needs: staff.Decide, anywhere: true},
	{URL: "/team", Text: "All users", needs: staff.ManageUsers},
	{URL: "/audit", Text: "Audit of all", needs: staff.SeeAudit},
	{URL: "/logs", Text: "Logs of all", needs: staff.SeeSystem},
	{URL: "/settings", Text: "Settings", needs: staff.SeeSystem},
}}

// nav returns the menu of the person: what the person may not open is left out.
func (c *call) nav() []navGroup {
	var out []navGroup
	add := func(g navGroup, at, id string) {
		shown := navGroup{Heading: g.Heading}
		for _, item := range g.Items {
			if may := c.Session.May(item.needs, id) || item.anywhere && c.Session.MayAnywhere(item.needs); item.needs != "" && !may {
				continue
			}
			item.URL = at + item.URL
			item.Here = c.URL.Path == item.URL || !strings.HasSuffix(item.URL, "/") && strings.HasPrefix(c.URL.Path, item.URL+"/")
			shown.Items = append(shown.Items, item)
		}
		if len(shown.Items) > 0 {
			out = append(out, shown)
		}
	}
	if id := c.around(); id != "" {
		for _, g := range menu {
			add(g, "/m/"+id, id)
		}
	}
	add(installation, "", "")
	return out
}

// around is the merchant whose menu stands around a page, "" for none. Who works for one merchant keeps its menu on pages that are about no merchant.
func (c *call) around() string {
	if c.Merchant != nil {
		return c.Merchant.ID
	}
	if ids, all := c.Session.Merchants(); !all && len(ids) == 1 {
		return ids[0]
	}
	return ""
}
