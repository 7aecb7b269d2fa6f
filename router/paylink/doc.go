// Package paylink draws the hosted pages of payment links and collect links. It knows no requests: package router decides what a page shows.
//
// The pages are plain forms. Without JavaScript they do all they do with it; the script only disables the button of a sent form, and leads a payer in
// a frame back to the shop. All texts of merchants stand in HTML as text. Their colours and rules pass a closed list (style.go).
//
//	page.go    what a page shows, and Render
//	page.html  the page: the details, and the form or the status
//	style.go   colours, pictures and rules of merchants
//	texts.go   the languages; texts/ has one file for each
//	qr.go      a link as a picture for cameras
package paylink
