package rule

// countryNames lists the countries of ISO 3166-1: the two letters that payments have, and the name that rules have.
const countryNames = `
AF Afghanistan AX AlandIslands AL Albania DZ Algeria AS AmericanSamoa AD Andorra AO Angola AI Anguilla AQ Antarctica
AG AntiguaAndBarbuda AR Argentina AM Armenia AW Aruba AU Australia AT Austria AZ Azerbaijan BS Bahamas BH Bahrain
BD Bangladesh BB Barbados BY Belarus BE Belgium BZ Belize BJ Benin BM Bermuda BT Bhutan BO BoliviaPlurinationalState
BQ BonaireSintEustatiusAndSaba BA BosniaAndHerzegovina BW Botswana BV BouvetIsland BR Brazil
IO BritishIndianOceanTerritory BN BruneiDarussalam BG Bulgaria BF BurkinaFaso BI Burundi CV CaboVerde KH Cambodia
CM Cameroon CA Canada KY CaymanIslands CF CentralAfricanRepublic TD Chad CL Chile CN China CX ChristmasIsland
CC CocosKeelingIslands CO Colombia KM Comoros CG Congo CD CongoDemocraticRepublic CK CookIslands CR CostaRica
CI CotedIvoire HR Croatia CU Cuba CW Curacao CY Cyprus CZ Czechia DK Denmark DJ Djibouti DM Dominica
DO DominicanRepublic EC Ecuador EG Egypt SV ElSalvador GQ EquatorialGuinea ER Eritrea EE Estonia ET Ethiopia
FK FalklandIslandsMalvinas FO FaroeIslands FJ Fiji FI Finland FR France GF FrenchGuiana PF FrenchPolynesia
TF FrenchSouthernTerritories GA Gabon GM Gambia GE Georgia DE Germany GH Ghana GI Gibraltar GR Greece GL Greenland
GD Grenada GP Guadeloupe GU Guam GT Guatemala GG Guernsey GN Guinea GW GuineaBissau GY Guyana HT Haiti
HM HeardIslandAndMcDonaldIslands VA HolySee HN Honduras HK HongKong HU Hungary IS Iceland IN India ID Indonesia
IR IranIslamicRepublic IQ Iraq IE Ireland IM IsleOfMan IL Israel IT Italy JM Jamaica JP Japan JE Jersey JO Jordan
KZ Kazakhstan KE Kenya KI Kiribati KP KoreaDemocraticPeoplesRepublic KR KoreaRepublic KW Kuwait KG Kyrgyzstan
LA LaoPeoplesDemocraticRepublic LV Latvia LB Lebanon LS Lesotho LR Liberia LY Libya LI Liechtenstein LT Lithuania
LU Luxembourg MO Macao MK MacedoniaTheFormerYugoslavRepublic MG Madagascar MW Malawi MY Malaysia MV Maldives ML Mali
MT Malta MH MarshallIslands MQ Martinique MR Mauritania MU Mauritius YT Mayotte MX Mexico FM MicronesiaFederatedStates
MD MoldovaRepublic MC Monaco MN Mongolia ME Montenegro MS Montserrat MA Morocco MZ Mozambique MM Myanmar NA Namibia
NR Nauru NP Nepal NL Netherlands NC NewCaledonia NZ NewZealand NI Nicaragua NE Niger NG Nigeria NU Niue
NF NorfolkIsland MP NorthernMarianaIslands NO Norway OM Oman PK Pakistan PW Palau PS PalestineState PA Panama
PG PapuaNewGuinea PY Paraguay PE Peru PH Philippines PN Pitcairn PL Poland PT Portugal PR PuertoRico QA Qatar
RE Reunion RO Romania RU RussianFederation RW Rwanda BL SaintBarthelemy SH SaintHelenaAscensionAndTristandaCunha
KN SaintKittsAndNevis LC SaintLucia MF SaintMartinFrenchpart PM SaintPierreAndMiquelon VC SaintVincentAndTheGrenadines
WS Samoa SM SanMarino ST SaoTomeAndPrincipe SA SaudiArabia SN Senegal RS Serbia SC Seychelles SL SierraLeone
SG Singapore SX SintMaartenDutchpart SK Slovakia SI Slovenia SB SolomonIslands SO Somalia ZA SouthAfrica
GS SouthGeorgiaAndTheSouthSandwichIslands SS SouthSudan ES Spain LK SriLanka SD Sudan SR Suriname
SJ SvalbardAndJanMayen SZ Swaziland SE Sweden CH Switzerland SY SyrianArabRepublic TW TaiwanProvinceOfChina
TJ Tajikistan TZ TanzaniaUnitedRepublic TH Thailand TL TimorLeste TG Togo TK Tokelau TO Tonga TT TrinidadAndTobago
TN Tunisia TR Turkey TM Turkmenistan TC TurksAndCaicosIslands TV Tuvalu UG Uganda UA Ukraine AE UnitedArabEmirates
GB UnitedKingdomOfGreatBritainAndNorthernIreland US UnitedStatesOfAmerica UM UnitedStatesMinorOutlyingIslands
UY Uruguay UZ Uzbekistan VU Vanuatu VE VenezuelaBolivarianRepublic VN Vietnam VG VirginIslandsBritish
VI VirginIslandsUS WF WallisAndFutuna EH WesternSahara YE Yemen ZM Zambia ZW Zimbabwe
`
