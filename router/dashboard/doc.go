// Package dashboard serves the pages on which people look after payments. It has an origin of its own, so that no page of the API's origin reaches a
// session here. Each page works without scripts; scripts add only comfort.
//
//	dashboard.go  Server: what it needs, its headers and limits
//	routes.go     the table of routes: each with the permission that it needs
//	call.go       one request: who asks, for which merchant, and how it is answered
//	render.go     the templates and what they may call
//	parts.go      what pages are made of: money, times, chips, links, lists
//	chips.go      the mark and the colour of each status
//	nav.go        the menu
//	assets.go     the script and the style, at addresses that never change their content
//	errors.go     what a person sees when something is refused
//	access.go     the routes about people, cookies, the first run
//	login.go      signing in, second factors, one-time links
//	me.go         one's own page
//	team.go       people and their roles, and the audit
//	qr.go         the picture that an authenticator app scans
//	document.go   pages that are made of blocks: settings.go lists them and their routes
//	once.go       forms that are performed once, however often they are sent
//	fill.go       what a person typed, put back with the error at its field
//	home.go       the overview; home_needs.go has what waits for a person
//	links.go      payment links and collect links
//	disputes.go   a dispute: accepting it, and answering it with texts and files
//	bundles.go    bundles of adapters: given, examined, installed, and rolled back
//	system.go     the node, its database and the configuration in force
//	logs.go       the latest lines of the node's log
//	perform.go    changes: permission, second factor, audit
//
// A page is a struct with the name of its template in pages/. A handler fills the struct by calling the engine, as the API's handlers do, and holds
// no rule of payments.
package dashboard
