package exempt

import "payswitch/sdk"

// ByName are the exemptions by their names in three_ds_data. Some have two: the name of the API, and our own.
var ByName = map[string]sdk.Exemption{"low_value": sdk.ExemptionLowValue, "transaction_risk_assessment": sdk.ExemptionRiskAnalysis,
	"transaction_risk_analysis": sdk.ExemptionRiskAnalysis, "trusted_listing": sdk.ExemptionTrustedBeneficiary, "trusted_beneficiary": sdk.ExemptionTrustedBeneficiary,
	"secure_corporate_payment": sdk.ExemptionSecureCorporate, "secure_corporate": sdk.ExemptionSecureCorporate, "sca_delegation": sdk.ExemptionDelegation}
