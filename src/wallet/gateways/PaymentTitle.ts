import type { PaymentIntent } from "../PaymentIntent.ts"

/** The title on the payment page: at most 32 characters. */
export const titleOf = ({ purpose }: PaymentIntent) => `Proxy rental: ${purpose}`
