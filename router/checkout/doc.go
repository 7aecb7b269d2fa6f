// Package checkout has the documents of the embedded checkout: the script that a shop's page loads, and the pages that it frames.
//
//	src/        the sources in TypeScript and CSS; `make assets` bundles them into assets/
//	locales/    the texts, one file for each language; a frame gets one language
//	checkout.go joins both into documents, with the Content-Security-Policy that names their hashes
//
// The package knows no payment and no request. Package router serves its documents, and says who may frame them.
package checkout
