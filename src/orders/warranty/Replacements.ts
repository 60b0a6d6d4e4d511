import { Context, Effect, Layer, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import type { Caller } from "../../accounts/Caller.ts"
import { Idempotency, type Outcome } from "../../idempotency/Idempotency.ts"
import type { IdempotencyKeyReused, RequestStillRunning } from "../../idempotency/IdempotencyErrors.ts"
import { byCaller } from "../ActedBy.ts"
import { OrderCare } from "../care/OrderCare.ts"
import { GivenChanges } from "../changes/GivenChanges.ts"
import { ProxyChangeId } from "../changes/ProxyChange.ts"
import type { ChangeUnsettled } from "../changes/ProxyChangeErrors.ts"
import type { LiveOrder } from "../LiveOrder.ts"
import type { OrderId } from "../Order.ts"
import { type NotAdmitted, OperationGuard, staticOnly } from "../proxies/OperationGuard.ts"
import type { ProviderSaidNo } from "../proxies/ProxyErrors.ts"
import * as ClaimReplacement from "./ClaimReplacement.ts"
import { ProxyChecks } from "./ProxyChecks.ts"
import { dryRunView, ReplacementView } from "./ReplacementView.ts"

export type NotReplaced =
  | NotAdmitted
  | ClaimReplacement.ClaimRefused
  | ProviderSaidNo
  | ChangeUnsettled
  | IdempotencyKeyReused
  | RequestStillRunning

interface Replaced extends Pick<Outcome, "replayed"> {
  readonly answer: ReplacementView
}

const decodeId = Schema.decodeUnknownEffect(ProxyChangeId)
const decodeView = Schema.decodeUnknownEffect(ReplacementView)

/** Replaces proxies for their owners, free of charge within the terms of the warranty (docs/warranty.md). */
export class Replacements extends Context.Service<
  Replacements,
  {
    /** Tells whether `replace` would replace the proxy, and by which term. */
    readonly preview: (caller: Caller["Service"], id: OrderId) => Effect.Effect<ReplacementView, NotReplaced>
    /** Moves the proxy to another exit address, once for a key. Host, port, logins, end and traffic stay. */
    readonly replace: (
      caller: Caller["Service"],
      id: OrderId,
      key: string | undefined
    ) => Effect.Effect<Replaced, NotReplaced>
  }
>()("app/orders/Replacements") {
  static readonly layerNoDeps = Layer.effect(
    Replacements,
    Effect.gen(function* () {
      const { complete, find } = yield* GivenChanges
      const guard = yield* OperationGuard
      const idempotency = yield* Idempotency
      const { claim, inStock, preview } = yield* ClaimReplacement.make

      const finish = Effect.fnUntraced(function* (order: LiveOrder, change: ProxyChangeId, hasKey: boolean) {
        const made = complete(change, order.id, hasKey)
        const proxy = yield* Effect.catchTag(made, "ProviderSaidNo", (refused) =>
          Effect.andThen(inStock(order.id), refused)
        )
        const { given_reason } = yield* Effect.orDie(Effect.flatMap(find(change), Effect.fromOption))
        return { order_id: order.id, replaced: true, reason: given_reason, proxy }
      })

      const replace = Effect.fn("Replacements.replace")(function* (
        caller: Caller["Service"],
        order_id: OrderId,
        key: string | undefined
      ) {
        const order = yield* guard.admit(caller.user_id, order_id, staticOnly)
        const id = ProxyChangeId.make(SecureRandom.uuidV7Unsafe())
        const { answer, replayed } = yield* idempotency.perform<NotReplaced, never>(
          { user_id: caller.user_id, operation: "orders.replace", key, body: { order_id } },
          {
            reference: id,
            charge: claim(order_id, id, byCaller(caller)),
            finish: (reference) =>
              Effect.flatMap(Effect.orDie(decodeId(reference)), (id) => finish(order, id, key !== undefined))
          }
        )
        return { answer: yield* Effect.orDie(decodeView(answer)), replayed }
      })

      return Replacements.of({
        preview: Effect.fn("Replacements.preview")(function* (caller: Caller["Service"], id: OrderId) {
          yield* guard.admit(caller.user_id, id, staticOnly)
          return dryRunView(id, yield* preview(id))
        }),
        replace
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([GivenChanges.layer, OperationGuard.layer, OrderCare.layer, ProxyChecks.layer])
  )
}
