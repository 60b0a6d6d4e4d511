import type { PaymentIntent } from "../PaymentIntent.ts"

/** What the customer reads where they pay; at most 32 characters. */
export const titleOf = ({ purpose }: PaymentIntent) => `Proxy rental: ${purpose}`
