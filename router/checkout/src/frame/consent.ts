// Who is asked to save a card, and when the payer's consent is sent. The tests hold this table.

export interface Facts {
  option: boolean; // displaySavedPaymentMethodsCheckbox
  guest: boolean;
  mandate: boolean; // the payment has terms of a mandate
  type: string; // payment_type: normal, new_mandate, setup_mandate, recurring_mandate
  ticked: boolean;
  always: boolean; // alwaysSendCustomerAcceptance
}

export const asks = (f: Facts) => f.option && !f.guest && !f.mandate && f.type !== "setup_mandate";

export function consents(f: Facts): boolean {
  if (f.always && !f.guest) return true;
  if (!f.option) return !f.guest && f.type !== "normal";
  return (asks(f) && f.ticked) || f.type === "setup_mandate";
}
