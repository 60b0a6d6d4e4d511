import { Context, DateTime, Duration, Effect, Layer } from "effect"
import type { UserId } from "../accounts/User.ts"
import { RateLimited } from "../platform/RateLimit.ts"
import { RequestInvalid } from "../platform/RequestInvalid.ts"
import type { LiveOrder } from "./LiveOrder.ts"
import type { MobileAccess } from "./MobileAccess.ts"
import type { OrderId } from "./Order.ts"
import { OperationUnsupported } from "./OrderErrors.ts"
import { mobileOnly, type NotChanged, ProxyOperations } from "./ProxyOperations.ts"
import type { Synced } from "./ProxySync.ts"

/** A proxy gets another exit address at most once in this time. */
const rotationInterval = Duration.seconds(5)

/** How many whole seconds a proxy has to wait before it may be rotated again. */
const waitOf = ({ rotated_at }: LiveOrder, now: DateTime.Utc): number => {
  if (rotated_at === null) return 0
  const left = Duration.subtract(rotationInterval, DateTime.distance(rotated_at, now))
  return Math.max(0, Math.ceil(Duration.toSeconds(left)))
}

/** What a live mobile rotating proxy can be told, for free (specification section 4.5). */
export class MobileManagement extends Context.Service<
  MobileManagement,
  {
    /** Gives the proxy another exit address. */
    readonly reset: (owner: UserId, id: OrderId) => Effect.Effect<Synced, NotChanged | RateLimited>
    readonly setAccess: (owner: UserId, id: OrderId, access: MobileAccess) => Effect.Effect<Synced, NotChanged>
    readonly setSignature: (
      owner: UserId,
      id: OrderId,
      signature: string
    ) => Effect.Effect<Synced, NotChanged | RequestInvalid>
  }
>()("app/orders/MobileManagement") {
  static readonly layerNoDeps = Layer.effect(
    MobileManagement,
    Effect.gen(function* () {
      const operations = yield* ProxyOperations

      const reset = Effect.fn("MobileManagement.reset")((owner: UserId, id: OrderId) =>
        operations.during(
          owner,
          id,
          mobileOnly,
          Effect.fnUntraced(function* (order, provider) {
            const retry_after = waitOf(order, yield* DateTime.now)
            if (retry_after > 0) return yield* new RateLimited({ details: { retry_after } })
            return yield* operations.change(order, provider.rotate?.(order.provider_proxy_id), { isRotation: true })
          })
        )
      )

      const setAccess = Effect.fn("MobileManagement.setAccess")(
        (owner: UserId, id: OrderId, { ips, passwords }: MobileAccess) =>
          operations.during(owner, id, mobileOnly, (order, provider) =>
            operations.change(
              order,
              provider.setAccess?.(order.provider_proxy_id, {
                ...(ips && { whitelisted_ips: ips }),
                ...(passwords && { logins: passwords.map(({ login, password }) => ({ username: login, password })) })
              })
            )
          )
      )

      const setSignature = Effect.fn("MobileManagement.setSignature")((owner: UserId, id: OrderId, signature: string) =>
        operations.during(
          owner,
          id,
          mobileOnly,
          Effect.fnUntraced(function* (order, provider) {
            const known = provider.signatures
            if (provider.setSignature === undefined) return yield* new OperationUnsupported()
            if (!known.includes(signature))
              return yield* RequestInvalid.at(["body", "signature"], `Must be one of ${known.join(", ")}`)
            return yield* operations.change(order, provider.setSignature(order.provider_proxy_id, signature))
          })
        )
      )

      return MobileManagement.of({ reset, setAccess, setSignature })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(ProxyOperations.layer))
}
