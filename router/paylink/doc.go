// Package paylink draws the hosted pages of payment links and collect links. It knows no requests: package router decides what a page shows.
//
// The pages are plain forms, which do all they do without JavaScript. On the page of a payment link, the script puts the frame of the embedded checkout
// in the place of the fields. The frame is the router's (link_client.go). All texts of merchants stand in HTML as text. Their colours and rules pass a closed list (style.go).
//
//	page.go    what a page shows, and Render
//	page.html  the page: the details, and the form or the status
//	check.go   what Render would leave out of a merchant's settings
//	style.go   colours, pictures and rules of merchants
//	texts.go   the languages; texts/ has one file for each
//	qr.go      a link as a picture for cameras
package paylink
