import { Schema } from "effect"
import { PaymentIntentId } from "../../wallet/PaymentIntent.ts"

/** The record of a look-up with its key: the payment. */
export const LookedUp = Schema.Struct({ id: PaymentIntentId })
