import { Effect, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import type { Caller } from "../../accounts/Caller.ts"
import { Idempotency } from "../../idempotency/Idempotency.ts"
import type { IdempotencyKeyReused, RequestStillRunning } from "../../idempotency/IdempotencyErrors.ts"
import { spenderOf } from "../../wallet/Spender.ts"
import { byCaller } from "../ActedBy.ts"
import type { Order } from "../Order.ts"
import type { ProviderDown, ProviderSaidNo } from "../proxies/ProxyErrors.ts"
import * as ChargeProxyChange from "./ChargeProxyChange.ts"
import * as CompleteChange from "./CompleteChange.ts"
import { ProxyChangeId } from "./ProxyChange.ts"
import type { ChangeUnsettled } from "./ProxyChangeErrors.ts"
import type { Wanted } from "./ProxyChangeTerms.ts"

export type PurchaseError =
  | ChargeProxyChange.ChargeError
  | ProviderSaidNo
  | ProviderDown
  | ChangeUnsettled
  | IdempotencyKeyReused
  | RequestStillRunning

interface Purchase {
  readonly operation: "orders.extend" | "orders.bandwidth"
  readonly wanted: Wanted
  /** Conditions of the first request with the key, and nothing that the request buys. */
  readonly expected: ChargeProxyChange.Expected
  readonly key: string | undefined
}

const decodeId = Schema.decodeUnknownEffect(ProxyChangeId)

/** Buys time or traffic for a proxy: charges once per idempotency key and returns the present proxy. */
export const make = Effect.gen(function* () {
  const idempotency = yield* Idempotency
  const charge = yield* ChargeProxyChange.make
  const complete = yield* CompleteChange.make

  return Effect.fnUntraced(function* (
    caller: Caller["Service"],
    order: Order,
    { expected, key, operation, wanted }: Purchase
  ) {
    const id = ProxyChangeId.make(SecureRandom.uuidV7Unsafe())
    return yield* idempotency.perform<PurchaseError, never>(
      { user_id: caller.user_id, operation, key, body: { order_id: order.id, ...wanted } },
      {
        reference: id,
        charge: charge({ id, order_id: order.id, by: byCaller(caller), wanted, expected, spender: spenderOf(caller) }),
        finish: (reference) =>
          Effect.flatMap(Effect.orDie(decodeId(reference)), (id) => complete(id, order.id, key !== undefined))
      }
    )
  })
})
