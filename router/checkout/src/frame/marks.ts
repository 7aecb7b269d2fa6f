import { make } from "./dom";
import amex from "../icons/amex.svg";
import back from "../icons/back.svg";
import cb from "../icons/cb.svg";
import card from "../icons/card.svg";
import diners from "../icons/diners.svg";
import discover from "../icons/discover.svg";
import front from "../icons/front.svg";
import interac from "../icons/interac.svg";
import jcb from "../icons/jcb.svg";
import maestro from "../icons/maestro.svg";
import mastercard from "../icons/mastercard.svg";
import rupay from "../icons/rupay.svg";
import unionpay from "../icons/unionpay.svg";
import visa from "../icons/visa.svg";

// Marks of networks are their trademarks. Each is one file in ../icons, and can be replaced with the network's own artwork.
const marks: { [name: string]: string } = {
  Visa: visa, Mastercard: mastercard, AmericanExpress: amex, DinersClub: diners, Discover: discover, JCB: jcb, UnionPay: unionpay, Maestro: maestro,
  CartesBancaires: cb, RuPay: rupay, Interac: interac, back, front,
};

export function mark(name: string): HTMLImageElement {
  return make("img", { src: "data:image/svg+xml," + encodeURIComponent(marks[name] || card), alt: "" });
}
