import type { PaymentIntent } from "../PaymentIntent.ts"

/** Where a gateway sends its customer back to, whether paid or not: the page that says what became of the payment. */
export const returnPage = (app_url: string, { id }: Pick<PaymentIntent, "id">) => `${app_url}/payments/${id}`
