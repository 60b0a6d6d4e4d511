import { Context, DateTime, Effect, Layer } from "effect"
import { Atomically } from "../platform/Atomically.ts"
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

      const extend = Effect.fn("GatewayTerms.extend")(function* (
        id: GatewayProxyId,
        { expires_at, kind, limit_bytes, reference }: GatewayExtension
      ) {
        const before = yield* repo.lock(id)
        if (before.change_reference === reference) return before
        const proxy = yield* repo.lockLive(id)
        const change = { expires_at, limit_bytes, change_reference: reference }
        const isRestart = kind === "restart"
        if (DateTime.isLessThan(expires_at, isRestart ? proxy.updated_at : proxy.expires_at))
          return yield* refuse("It would end before its time")
        if (isRestart) return yield* repo.restart({ ...proxy, ...change })
        if (limit_bytes !== null && limit_bytes < proxy.used_bytes + proxy.leased_bytes)
          return yield* refuse("The limit is below what has passed already")
        return yield* repo.save({ ...proxy, ...change })
      }, atomically)

      const addTraffic = Effect.fn("GatewayTerms.addTraffic")(function* (
        id: GatewayProxyId,
        { bytes, reference }: GatewayTrafficAddition
      ) {
        const before = yield* repo.lock(id)
        if (before.change_reference === reference) return before
        const proxy = yield* repo.lockLive(id)
        if (proxy.limit_bytes === null) return yield* refuse("Its traffic is unlimited")
        return yield* repo.save({ ...proxy, limit_bytes: proxy.limit_bytes + bytes, change_reference: reference })
      }, atomically)

      return GatewayTerms.of({ extend, addTraffic })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(GatewayChangesRepo.layer))
}
