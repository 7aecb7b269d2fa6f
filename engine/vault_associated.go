package engine

// Each ciphertext is bound to one of the following texts. So a row cannot take the place of another, within a merchant or between
// merchants.
func paymentAD(merchantID, id string) string { return "payment/" + merchantID + "/" + id }

func attemptAD(merchantID, id string) string { return "attempt/" + merchantID + "/" + id }

func requestAD(operationID string) string { return "operation/" + operationID + "/request" }

func exchangeAD(operationID string) string { return "operation/" + operationID + "/exchange" }

func eventAD(merchantID, id string) string { return "event/" + merchantID + "/" + id }

func merchantAD(id string) string { return "merchant/" + id }

func profileAD(merchantID, id string) string { return "profile/" + merchantID + "/" + id }

func accountAD(merchantID, id string) string { return "account/" + merchantID + "/" + id }

func customerAD(merchantID, id string) string { return "customer/" + merchantID + "/" + id }

func idempotencyAD(merchantID, key string) string { return "idempotency/" + merchantID + "/" + key }

func methodAD(merchantID, id string) string { return "payment_method/" + merchantID + "/" + id }

func mandateAD(merchantID, id string) string { return "mandate/" + merchantID + "/" + id }

func journalAD(operationID string) string { return "operation/" + operationID + "/journal" }

func authenticationAD(merchantID, id string) string { return "authentication/" + merchantID + "/" + id }

func shortTermAD(merchantID, id string) string { return "short_term/" + merchantID + "/" + id }
