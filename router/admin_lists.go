package router

import "payswitch/engine/account"

// The closed lists of set-up requests. Error messages name the values in this order.
var (
	connectorTypes = []account.Type{
		"payment_processor", "payment_vas", "fin_operations", "fiz_operations", "networks", "banking_entities", "non_banking_finance",
		"payout_processor", "payment_method_auth", "authentication_processor", "tax_processor", "surcharge_processor",
		"billing_processor", "vault_processor",
	}
	paymentStatuses = []string{
		"succeeded", "failed", "cancelled", "cancelled_post_capture", "processing", "requires_customer_action",
		"requires_merchant_action", "requires_payment_method", "requires_confirmation", "requires_capture", "partially_captured",
		"partially_captured_and_capturable", "partially_authorized_and_requires_capture", "partially_captured_and_processing",
		"conflicted", "expired", "review",
	}
	// refundStatuses begin with the statuses of payments, because some clients send these for refunds.
	refundStatuses = append(append([]string{}, paymentStatuses...), "pending", "success", "failure", "manual_review", "transaction_failure")
	payoutStatuses = []string{
		"success", "failed", "cancelled", "initiated", "expired", "reversed", "pending", "ineligible", "requires_creation",
		"requires_confirmation", "requires_payout_method_data", "requires_fulfillment", "requires_vendor_account_creation",
	}
	productTypes  = []string{"orchestration", "vault", "recon", "recovery", "cost_observability", "dynamic_routing"}
	merchantTypes = []string{"standard", "platform", "connected"}
	guardStatuses = []string{"enabled", "disabled"}
	acceptances   = []string{"enable_only", "disable_only", "all_accepted"}
	documentTypes = []string{"cpf", "cnpj", "psn", "other"}
)
