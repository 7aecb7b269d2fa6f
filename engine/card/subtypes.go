package card

import "strings"

// Subtypes are the kinds of card products that the API knows, in the order of its list. Facts of issuers have them in capitals.
var Subtypes = strings.Fields("" +
	"aarp airmilespremier atmcard atmonly atmonly_cashlinecard best_price_save_max best_price_save_smart bharat bharat_cashback " +
	"bharat_platinum black blackcard blue blue_and_revolving blueairmilescashbackcard bluecash blueforbusiness bmiplus bonus business " +
	"business_gold business_moneyback business_platinum business_prepaid business_regalia business_regalia_first businesscard " +
	"businesselite businessimmediatedebit businessloan cashback cashrebate centurion centurionservicio chargecard checkcard classic " +
	"classicpremium commercial commercialtransportebt companion consumer consumercard corp_goldd_and_ranges corp_golds_and_ranges " +
	"corp_greend_and_ranges corp_greens_and_ranges corp_purchasingcard corpo_co_s_and_ranges corporate corporate_platinum " +
	"corporate_premium corporatecard corporateexecutive corporatefleetcard corporategold corporategoldyplatinum corporategreen " +
	"corporategreenebta corporatepurchasing corporaterevolving corporatet corporate_t_and_e corporation credit ctslandcard debit " +
	"delayeddebit delta diners_club_black diners_club_miles diners_club_premium diners_club_privilege diners_club_rewardz " +
	"doctors_platinum doctors_regalia doctors_superia dorada dummy_logo easy_emi edge_platinum electricorange electron electronic " +
	"electronicunembossed embossed executivebusiness express firstcitizen firstcitizen_black fleetcard flipkart_wholesale freedom " +
	"freedom_platinum general_purpose_re_loadable_card gift gift_cards globalpayment gmcard gold gold_personal gold_platinum gold_prem " +
	"goldcashbackcard goldgrccyblue goldimmediatedebit goldpremium governmentcommercialcard governmentservicesloan green gsacard " +
	"gsacorporate_t_and_e gsapurchasing hsanon_substantiated icard ikeacard immediatedebit indian_oil indigo6e_rewards individual " +
	"infinia infinite intermiles_diners_club intermiles_premium intermiles_signature ix_rbl09 ix_rbl24 ix_slice01 ix_slice02 jcb_classic " +
	"jcb_platinum jcb_select jumbo_loan lowescard mastercard mastermoney micro_businesscard millennia moneyback_insta moneyback_platinum " +
	"moneyback_plus moneyback_st newworld newworldimmediatedebit optima others ourocard paymentcard paypass payroll_cards paytm " +
	"paytm_business paytm_mobile paytm_select peony peonymoneylink pinelabs pinelabs_pro platinum platinum1 platinum_edge " +
	"platinum_freedom platinum_plus platinum_solitaire platinum_times platinumimmediatedebit platinumtravel plus pmjdy premier premium " +
	"premiumcard premiumplus prepaid prepaid_electron prepaid_privatelabel prepaidcash prepaidtravelmoney private privatelabel pro " +
	"proprietary proprietary_atm purchasing quantum rebate regalia regalia_first revolving rewards rewardsonly rupay_select salute " +
	"sap_concur_solutions_black_corporate sap_concur_solutions_prime_corporate sbsgoldyblue sears signature signaturebusiness " +
	"signaturebusinessplatinum silver 6e_rewards 6e_rewards_xl smallbusiness smallbusinesscard smallbusinesssbsgreen smallcorporate " +
	"smallcorporatecard solitaire solitaire_platinum standard standardunembossed tata_neu_infinity tata_neu_plus teachers_platinum " +
	"test_plastic titanium titanium_edge titanium_personal titanium_times tjpersonal travelmoney uat_range unembossed virginatlantic " +
	"virtual visa_business visa_business_enhanced visa_classic visa_corporate_t_and_e visa_electron visa_enhanced visa_gold " +
	"visa_infinite visa_infinite_business visa_platinum visa_platinum_business visa_purchasing visa_purchasing_with_fleet visa_rewards " +
	"visa_signature visa_signature_business visa_traditional visacash visacommerce vpay world world_master worldblack worldcard " +
	"worlddebitembossed worldelite worldeliteforbusiness worldembossed worldforbusiness worldsigniaimmediatedebit")
