import { Context, DateTime, Effect, Layer } from "effect"
import { Idempotency } from "../../idempotency/Idempotency.ts"
import type { Order } from "../Order.ts"
import { Provisioning } from "./Provisioning.ts"
import { ProvisioningRepo } from "./ProvisioningRepo.ts"
import * as ReleaseOrphan from "./ReleaseOrphan.ts"

/** Longer than a call of the provider and its settlement. */
const lease = { minutes: 2 }

type Unfinished = Pick<Order, "id" | "provider">

/** Finishes the delivery of one order when a person asks, as the jobs do for all. */
export class UnfinishedDeliveries extends Context.Service<
  UnfinishedDeliveries,
  {
    /** Continues with a paid order, unless another process holds it. */
    readonly resume: (order: Unfinished) => Effect.Effect<void>
    /** Looks up the proxy of an order that was refunded while the outcome was unknown, and releases it. */
    readonly release: (order: Unfinished) => Effect.Effect<void, unknown>
  }
>()("app/orders/UnfinishedDeliveries") {
  static readonly layerNoDeps = Layer.effect(
    UnfinishedDeliveries,
    Effect.gen(function* () {
      const provisioning = yield* Provisioning
      const releaseOrphan = yield* ReleaseOrphan.make
      const repo = yield* ProvisioningRepo

      return UnfinishedDeliveries.of({
        resume: Effect.fn("UnfinishedDeliveries.resume")(function* ({ id, provider }) {
          const now = yield* DateTime.now
          const claimed = yield* repo.claim(provider, now, DateTime.add(now, lease), 1, id)
          yield* Effect.forEach(claimed, provisioning.resume, { discard: true })
        }),
        release: ({ id, provider }) => releaseOrphan({ order_id: id, provider })
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([Provisioning.layer, ProvisioningRepo.layer]),
    Layer.provide(Idempotency.layer)
  )
}
