import { Context, DateTime, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import type { Caller } from "../../accounts/Caller.ts"
import type { Order, OrderId } from "../Order.ts"
import { type ChangeKind, type OrderEvent, OrderEventsRepo } from "./OrderEventsRepo.ts"

/** The entries that a history shows. */
const most = 50

const actorOf = ({ credential }: Caller["Service"]): Pick<OrderEvent, "actor" | "actor_id"> => {
  if (credential._tag === "session") return { actor: "session", actor_id: null }
  if (credential._tag === "api_key") return { actor: "api_key", actor_id: credential.api_key_id }
  return { actor: "oauth", actor_id: credential.client_id }
}

/** Records who changed a proxy, for its owner. */
export class ProxyHistory extends Context.Service<
  ProxyHistory,
  {
    /** Records a change that was made. */
    readonly record: (caller: Caller["Service"], id: OrderId, kind: ChangeKind) => Effect.Effect<void>
    /** The last 50 events of a proxy, newest first: its purchase, its changes, its end. */
    readonly latest: (order: Order) => Effect.Effect<ReadonlyArray<OrderEvent>>
  }
>()("app/orders/ProxyHistory") {
  static readonly layerNoDeps = Layer.effect(
    ProxyHistory,
    Effect.gen(function* () {
      const repo = yield* OrderEventsRepo

      const record = Effect.fn("ProxyHistory.record")(function* (
        caller: Caller["Service"],
        order_id: OrderId,
        kind: ChangeKind
      ) {
        const now = yield* DateTime.now
        yield* repo.add({ ...actorOf(caller), id: SecureRandom.uuidV7Unsafe(), order_id, kind }, now)
      })

      const latest = Effect.fn("ProxyHistory.latest")(({ id }: Order) => repo.latest(id, most))

      return ProxyHistory.of({ record, latest })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(OrderEventsRepo.layer))
}
