package contact

import "payswitch/sdk"

// Browser is browser_info. Zeros names its fields that the caller sent as 0 or false, so that answers tell them from fields that were not sent. Adapters
// do not get the fields below it: answers show them.
type Browser struct {
	sdk.Browser
	Zeros          []string `json:"zeros,omitempty"`
	OSType         string   `json:"os_type,omitempty"`
	OSVersion      string   `json:"os_version,omitempty"`
	DeviceModel    string   `json:"device_model,omitempty"`
	AcceptLanguage string   `json:"accept_language,omitempty"`
	Referer        string   `json:"referer,omitempty"`
}

// ForAdapter returns what an adapter gets of b: nil without a browser.
func (b *Browser) ForAdapter() *sdk.Browser {
	if b == nil {
		return nil
	}
	return &b.Browser
}
