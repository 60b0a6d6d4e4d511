import { Context, type Effect } from "effect"
import type { PaymentIntent } from "../PaymentIntent.ts"

/** The consequences of a payment from outside for its orders. It runs in the transaction that settles the payment. */
export class PaymentFulfilment extends Context.Service<
  PaymentFulfilment,
  {
    /** Spends the money of a paid intent on its orders. The money is already in the wallet. */
    readonly paid: (intent: PaymentIntent) => Effect.Effect<void>
    /** Cancels the orders of an intent that ended without payment. Money that still arrives stays in the wallet. */
    readonly ended: (intent: PaymentIntent) => Effect.Effect<void>
  }
>()("app/wallet/PaymentFulfilment") {}
