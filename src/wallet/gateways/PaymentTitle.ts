import type { Brand } from "../../brand/Brand.ts"
import type { PaymentIntent } from "../PaymentIntent.ts"

/** Telegram's limit of a title. */
const mostCharacters = 32

/** The title on the payment page: the brand's name, shortened if it is long, and the purpose. */
export const titleOf = ({ name }: Brand, { purpose }: PaymentIntent) => {
  const end = `: ${purpose}`
  const most = mostCharacters - end.length
  return `${name.length > most ? `${name.slice(0, most - 1).trimEnd()}…` : name}${end}`
}
