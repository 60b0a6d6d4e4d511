import { Context, DateTime, Effect, Layer } from "effect"
import { Atomically } from "../platform/postgres/Atomically.ts"
import { GatewayChangesRepo, type LockedProxy } from "./GatewayChangesRepo.ts"
import { GatewayChangeRefused, type GatewayProxyEnded, type GatewayProxyNotFound } from "./GatewayErrors.ts"
import type { GatewayProxy, GatewayProxyId } from "./GatewayProxy.ts"

/** A proxy change that adds time. `append` moves the end of the running cycle. `restart` begins a cycle with no traffic used. */
export interface GatewayExtension {
  readonly reference: string
  readonly kind: "append" | "restart"
  readonly expires_at: DateTime.Utc
  /** The traffic limit of the whole cycle after the change, in bytes. Null: unlimited. */
  readonly limit_bytes: bigint | null
}

/** A proxy change that adds traffic to the running cycle. */
export interface GatewayTrafficAddition {
  readonly reference: string
  readonly bytes: bigint
}

type Changed = Effect.Effect<GatewayProxy, GatewayProxyNotFound | GatewayProxyEnded | GatewayChangeRefused>

const refuse = (detail: string) => new GatewayChangeRefused({ detail })

/**
 * The proxy changes of an open proxy: more time and more traffic, which the customer pays for. A repeated reference has no
 * effect.
 *
 * Traffic under a lease from before a restart belongs to the ended cycle, even when it passes after the restart. The next
 * cycle counts only traffic under its own leases. So no cycle exceeds its limit, and no cycle pays for another.
 */
export class GatewayTerms extends Context.Service<
  GatewayTerms,
  {
    readonly extend: (id: GatewayProxyId, extension: GatewayExtension) => Changed
    readonly addTraffic: (id: GatewayProxyId, addition: GatewayTrafficAddition) => Changed
  }
>()("app/gateway/GatewayTerms") {
  static readonly layerNoDeps = Layer.effect(
    GatewayTerms,
    Effect.gen(function* () {
      const repo = yield* GatewayChangesRepo
      const atomically = yield* Atomically

      const once = Effect.fnUntraced(function* <E>(
        id: GatewayProxyId,
        reference: string,
        change: (proxy: LockedProxy) => Effect.Effect<GatewayProxy, E>
      ) {
        const proxy = yield* repo.lock(id)
        return proxy.change_reference === reference ? proxy : yield* change(yield* repo.live(proxy))
      }, atomically)

      const extend = Effect.fn("GatewayTerms.extend")(
        (id: GatewayProxyId, { expires_at, kind, limit_bytes, reference }: GatewayExtension) =>
          once(
            id,
            reference,
            Effect.fnUntraced(function* (proxy) {
              const changed = { ...proxy, expires_at, limit_bytes, change_reference: reference }
              const isRestart = kind === "restart"
              if (DateTime.isLessThan(expires_at, isRestart ? proxy.updated_at : proxy.expires_at))
                return yield* refuse("The proxy would end earlier than without the change")
              if (isRestart) return yield* repo.restart(changed)
              if (limit_bytes !== null && limit_bytes < proxy.used_bytes + proxy.leased_bytes)
                return yield* refuse("The limit is below the traffic that is already used")
              return yield* repo.save(changed)
            })
          )
      )

      const addTraffic = Effect.fn("GatewayTerms.addTraffic")(
        (id: GatewayProxyId, { bytes, reference }: GatewayTrafficAddition) =>
          once(
            id,
            reference,
            Effect.fnUntraced(function* (proxy) {
              if (proxy.limit_bytes === null) return yield* refuse("The traffic of this proxy is unlimited")
              return yield* repo.save({ ...proxy, limit_bytes: proxy.limit_bytes + bytes, change_reference: reference })
            })
          )
      )

      return GatewayTerms.of({ extend, addTraffic })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(GatewayChangesRepo.layer))
}
