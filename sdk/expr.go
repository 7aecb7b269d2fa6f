package sdk

// Functions of expressions. ABI.md, "Expressions", describes each function and which of them may take card data.
const (
	FnText          = "text"
	FnBody          = "body"
	FnBase64        = "base64"
	FnBase64URL     = "base64url"
	FnUnbase64      = "unbase64"
	FnUnbase64URL   = "unbase64url"
	FnHex           = "hex"
	FnUnhex         = "unhex"
	FnConcat        = "concat"
	FnSHA1          = "sha1"
	FnSHA256        = "sha256"
	FnSHA512        = "sha512"
	FnHMACSHA1      = "hmac_sha1"
	FnHMACSHA256    = "hmac_sha256"
	FnHMACSHA512    = "hmac_sha512"
	FnRSASHA256     = "rsa_sha256"
	FnECDSASHA256   = "ecdsa_sha256"
	FnRSAOAEPSHA256 = "rsa_oaep_sha256"
	FnBasic         = "basic"
)

// Text returns the expression of a text. The host replaces stand-ins in the text.
func Text(s string) Expr { return Expr{Fn: FnText, Text: s} }

// Body returns the expression of the request's body as it leaves. In Call.Verify it is the message's raw body.
func Body() Expr { return Expr{Fn: FnBody} }

// Fn returns the expression of a function over other expressions: Fn(FnHex, Fn(FnHMACSHA256, Text(key), Body())).
func Fn(name string, args ...Expr) Expr { return Expr{Fn: name, Args: args} }

// Basic returns the expression of HTTP basic authentication: base64 of user, ":" and password. The header's value is "Basic "
// followed by the stand-in from Call.Derive.
func Basic(user, password string) Expr { return Fn(FnBasic, Text(user), Text(password)) }
