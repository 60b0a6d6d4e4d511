import { Array as Arr, Context, DateTime, Effect, Layer, Option } from "effect"
import type { Caller } from "../../accounts/Caller.ts"
import type { UserId } from "../../accounts/User.ts"
import { Idempotency, type Outcome, triesAtMost } from "../../idempotency/Idempotency.ts"
import { type IdempotencyKeyReused, RequestStillRunning } from "../../idempotency/IdempotencyErrors.ts"
import * as UuidV7 from "../../platform/UuidV7.ts"
import type {
  PaymentMethodNotOffered,
  PaymentMethodUnavailable,
  TooManyOpenPayments,
  TooManyUnpaidOrders
} from "../../wallet/PaymentErrors.ts"
import { PromoCodes } from "../../wallet/promo-codes/PromoCodes.ts"
import { VerifiedBuyers } from "../../wallet/VerifiedBuyers.ts"
import type { EmailNotVerified } from "../../wallet/WalletErrors.ts"
import type { ChargeRefused } from "../../wallet/Wallets.ts"
import { OrderId, type OrderRow } from "../Order.ts"
import type { OfferChanged, PriceChanged } from "../OrderErrors.ts"
import { OrdersRepo } from "../OrdersRepo.ts"
import type { OrderView } from "../OrderView.ts"
import { Provisioning } from "../provisioning/Provisioning.ts"
import * as AgreeOrder from "./AgreeOrder.ts"
import * as BuyOrders from "./BuyOrders.ts"
import * as FinishOrders from "./FinishOrders.ts"
import { OrderPaymentsRepo } from "./OrderPaymentsRepo.ts"
import * as OrderPrices from "./OrderPrices.ts"
import { fingerprint, type WantedOrder } from "./OrderRequest.ts"
import { quotedPriceOf } from "./QuotedPrice.ts"
import { QuotedPricesRepo } from "./QuotedPricesRepo.ts"

type PlacementError =
  | AgreeOrder.AgreementError
  | OfferChanged
  | ChargeRefused
  | PriceChanged
  | PaymentMethodNotOffered
  | PaymentMethodUnavailable
  | TooManyOpenPayments
  | TooManyUnpaidOrders
  | EmailNotVerified
  | IdempotencyKeyReused
  | RequestStillRunning

/** The terms of a request, and the sums to pay for all its orders. */
export interface Quote extends AgreeOrder.AgreedOrder {
  readonly quantity: number
  /** In units of the currency of the terms. */
  readonly discount: bigint
  readonly total: bigint
  /** In micro-dollars. */
  readonly total_usd: bigint
}

interface Placed extends Pick<Outcome, "replayed"> {
  readonly orders: ReadonlyArray<OrderView>
}

/**
 * Sells proxies (docs/contract.md, "Orders"). `place` claims the idempotency key and charges once (`BuyOrders`), then
 * provisions the orders or asks for their payment (`FinishOrders`), and stores the answer. When an earlier request has
 * the key, `place` returns the answer of that request.
 */
export class OrderPlacement extends Context.Service<
  OrderPlacement,
  {
    /** Prices a request, and keeps the price for orders of the account within 10 minutes. Charges nothing. */
    readonly quote: (
      caller: Pick<Caller["Service"], "user_id">,
      request: WantedOrder
    ) => Effect.Effect<Quote, AgreeOrder.AgreementError>
    /** Creates all the orders of a request or none. Charges and provisions each order once. */
    readonly place: (
      caller: Caller["Service"],
      request: WantedOrder,
      idempotencyKey: string | undefined
    ) => Effect.Effect<Placed, PlacementError>
    /** Finds the orders of a request by its idempotency key, for 24 hours; none for any other key. */
    readonly placed: (owner: UserId, idempotencyKey: string) => Effect.Effect<ReadonlyArray<typeof OrderRow.Type>>
  }
>()("app/orders/OrderPlacement") {
  static readonly layerNoDeps = Layer.effect(
    OrderPlacement,
    Effect.gen(function* () {
      const idempotency = yield* Idempotency
      const buy = yield* BuyOrders.make
      const { finish, resume } = yield* FinishOrders.make

      const place = Effect.fnUntraced(function* (
        caller: Caller["Service"],
        request: WantedOrder,
        key: string | undefined
      ) {
        const ids = Arr.makeBy(request.quantity, () => OrderId.make(UuidV7.make()))
        const { user_id } = caller
        const keyed = yield* idempotency.keyed({ user_id, operation, key, body: fingerprint(request) }, ids)
        for (let tries = 0; tries < triesAtMost; tries++) {
          const bought = yield* buy({ caller, request, ids, keyed })
          if (bought._tag === "Bought") return { orders: yield* finish(bought.orders, keyed), replayed: false }
          const earlier = yield* idempotency.ended(bought.keyed, bought.claim)
          if (earlier?._tag === "Answered") return { orders: FinishOrders.readAnswer(earlier.answer), replayed: true }
          if (earlier?._tag === "Unfinished") return { orders: yield* resume(earlier.request), replayed: true }
          // The earlier request has freed the key, so this one may buy.
        }
        return yield* new RequestStillRunning({ details: {} })
      }, Effect.uninterruptible)

      return OrderPlacement.of({ quote: yield* makeQuote, place, placed: yield* makePlaced })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([
      OrderPaymentsRepo.layer,
      OrdersRepo.layer,
      Provisioning.layer,
      QuotedPricesRepo.layer,
      VerifiedBuyers.layer
    ])
  )
}

const operation = "orders.create"

const makePlaced = Effect.gen(function* () {
  const idempotency = yield* Idempotency
  const repo = yield* OrdersRepo

  return Effect.fn("OrderPlacement.placed")(function* (user_id: UserId, key: string) {
    const request = yield* idempotency.keyed({ user_id, operation, key, body: undefined }, [])
    const claim = request === undefined ? Option.none() : yield* idempotency.find(request)
    if (Option.isNone(claim)) return []
    return yield* repo.findMany(yield* FinishOrders.readIds(claim.value.reference))
  })
})

const makeQuote = Effect.gen(function* () {
  const agree = yield* AgreeOrder.make
  const promoCodes = yield* PromoCodes
  const quotes = yield* QuotedPricesRepo

  return Effect.fn("OrderPlacement.quote")(function* (
    { user_id }: Pick<Caller["Service"], "user_id">,
    { promo_code, ...request }: WantedOrder
  ) {
    const { quantity } = request
    const agreed = yield* agree(request)
    const prices =
      promo_code === undefined
        ? OrderPrices.full(agreed.terms, quantity)
        : OrderPrices.reduced(
            agreed.terms,
            yield* promoCodes.quote(OrderPrices.saleOf(user_id, promo_code, agreed, quantity))
          )
    yield* quotes.keep(quotedPriceOf(user_id, agreed, yield* DateTime.now))
    return { ...agreed, quantity, ...OrderPrices.sum(prices) }
  })
})
