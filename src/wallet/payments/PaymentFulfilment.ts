import { Context, type Effect } from "effect"
import type { PaymentIntent } from "../PaymentIntent.ts"

/** What a payment from outside is for beyond the wallet; told in the transaction that settles the payment. */
export class PaymentFulfilment extends Context.Service<
  PaymentFulfilment,
  {
    /** Paid as asked: the money is in the wallet and is spent on what it is for. */
    readonly paid: (intent: PaymentIntent) => Effect.Effect<void>
    /** Over without such a payment: what it was for is given up. Money that still comes stays in the wallet. */
    readonly ended: (intent: PaymentIntent) => Effect.Effect<void>
  }
>()("app/wallet/PaymentFulfilment") {}
