import { Context, DateTime, Effect, Layer } from "effect"
import { Atomically } from "../platform/postgres/Atomically.ts"
import { GatewayChangesRepo } from "./GatewayChangesRepo.ts"
import { GatewayChangeRefused, type GatewayProxyEnded, type GatewayProxyNotFound } from "./GatewayErrors.ts"
import type { GatewayProxy, GatewayProxyId } from "./GatewayProxy.ts"

/** More time; `append` moves the end of the running cycle, `restart` begins a cycle with nothing used. */
export interface GatewayExtension {
  readonly reference: string
  readonly kind: "append" | "restart"
  readonly expires_at: DateTime.Utc
  /** The limit after it, of the whole cycle. */
  readonly limit_bytes: bigint | null
}

/** More traffic for the running cycle. */
export interface GatewayTrafficAddition {
  readonly reference: string
  readonly bytes: bigint
}

type Changed = Effect.Effect<GatewayProxy, GatewayProxyNotFound | GatewayProxyEnded | GatewayChangeRefused>

const refuse = (detail: string) => new GatewayChangeRefused({ detail })

/**
 * How long and how much: what is paid for about an open proxy. Each change is made once for its reference.
 *
 * What a gateway process was leased before a restart belongs to the ended cycle, even when it passes after: the cycle
 * that begins is charged only what is leased from it. So no cycle ever passes more than its limit, and none pays for
 * the traffic of another.
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

      type Live = Effect.Success<ReturnType<typeof repo.live>>

      const once = Effect.fnUntraced(function* <E>(
        id: GatewayProxyId,
        reference: string,
        change: (proxy: Live) => Effect.Effect<GatewayProxy, E>
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
                return yield* refuse("It would end before its time")
              if (isRestart) return yield* repo.restart(changed)
              if (limit_bytes !== null && limit_bytes < proxy.used_bytes + proxy.leased_bytes)
                return yield* refuse("The limit is below what has passed already")
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
              if (proxy.limit_bytes === null) return yield* refuse("Its traffic is unlimited")
              return yield* repo.save({ ...proxy, limit_bytes: proxy.limit_bytes + bytes, change_reference: reference })
            })
          )
      )

      return GatewayTerms.of({ extend, addTraffic })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(GatewayChangesRepo.layer))
}
