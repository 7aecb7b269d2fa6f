package vault

// Each ciphertext is bound to one of the following texts. So a row cannot take the place of another, within a merchant or between
// merchants.
func paymentAD(merchantID, id string) string { return "payment/" + merchantID + "/" + id }

func attemptAD(merchantID, id string) string { return "attempt/" + merchantID + "/" + id }

func RequestAD(operationID string) string { return "operation/" + operationID + "/request" }

func ExchangeAD(operationID string) string { return "operation/" + operationID + "/exchange" }

func EventAD(merchantID, id string) string { return "event/" + merchantID + "/" + id }

func MerchantAD(id string) string { return "merchant/" + id }

func ProfileAD(merchantID, id string) string { return "profile/" + merchantID + "/" + id }

func AccountAD(merchantID, id string) string { return "account/" + merchantID + "/" + id }

func AccountVersionAD(merchantID, accountID, fingerprint string) string {
	return "account_version/" + merchantID + "/" + accountID + "/" + fingerprint
}

func CustomerAD(merchantID, id string) string { return "customer/" + merchantID + "/" + id }

func IdempotencyAD(merchantID, key string) string { return "idempotency/" + merchantID + "/" + key }

func MethodAD(merchantID, id string) string { return "payment_method/" + merchantID + "/" + id }

func MandateAD(merchantID, id string) string { return "mandate/" + merchantID + "/" + id }

func JournalAD(operationID string) string { return "operation/" + operationID + "/journal" }

func authenticationAD(merchantID, id string) string { return "authentication/" + merchantID + "/" + id }

func EndpointAD(merchantID, id string) string { return "webhook_endpoint/" + merchantID + "/" + id }

func DeliveryAD(merchantID, eventID, id string) string {
	return "delivery/" + merchantID + "/" + eventID + "/" + id
}

func StaffAD(id string) string { return "staff_user/" + id }

func shortTermAD(merchantID, id string) string { return "short_term/" + merchantID + "/" + id }
