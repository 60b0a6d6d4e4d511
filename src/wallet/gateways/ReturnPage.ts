import type { PaymentIntent } from "../PaymentIntent.ts"

/** The page to which a gateway sends the customer back, paid or not. It shows the state of the payment. */
export const returnPage = (app_url: string, { id }: Pick<PaymentIntent, "id">) => `${app_url}/payments/${id}`
