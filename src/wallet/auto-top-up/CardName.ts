import type { SavedCard } from "../SavedCard.ts"

/** The names of the brands that Stripe writes in another way. */
const brands: Readonly<Record<string, string>> = {
  amex: "American Express",
  diners: "Diners Club",
  discover: "Discover",
  eftpos_au: "eftpos",
  jcb: "JCB",
  mastercard: "Mastercard",
  unionpay: "UnionPay",
  visa: "Visa"
}

/** A card as its owner knows it: `Visa •••• 4242`. */
export const cardName = ({ brand, last_digits }: Pick<SavedCard, "brand" | "last_digits">): string =>
  `${brands[brand] ?? brand} •••• ${last_digits}`
