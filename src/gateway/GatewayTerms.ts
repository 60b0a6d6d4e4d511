import { Context, DateTime, Effect, Layer, Option } from "effect"
import { Atomically } from "../platform/postgres/Atomically.ts"
import { GatewayChangesRepo, type LockedProxy } from "./GatewayChangesRepo.ts"
import { GatewayChangeRefused, type GatewayProxyEnded, GatewayProxyNotFound } from "./GatewayErrors.ts"
import { GatewayProxiesRepo } from "./GatewayProxiesRepo.ts"
import type { GatewayProxy, GatewayProxyId } from "./GatewayProxy.ts"
import { newLogins } from "./NewLogins.ts"

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
 * The proxy changes of an open proxy: more time, more traffic, another exit address. A repeated reference has no effect.
 *
 * Traffic under a lease from before a restart belongs to the ended cycle, even when it passes after the restart. The next
 * cycle counts only traffic under its own leases. So no cycle exceeds its limit, and no cycle pays for another.
 */
export class GatewayTerms extends Context.Service<
  GatewayTerms,
  {
    readonly extend: (id: GatewayProxyId, extension: GatewayExtension) => Changed
    readonly addTraffic: (id: GatewayProxyId, addition: GatewayTrafficAddition) => Changed
    /**
     * Moves a proxy to another free exit address of its pool, with a login in place of all others, and ends its connections. Port,
     * whitelist, time and traffic stay. Refuses when no other address is free.
     */
    readonly replace: (id: GatewayProxyId, reference: string) => Changed
    /** The number of exit addresses that `replace` can choose from. */
    readonly spareExits: (id: GatewayProxyId) => Effect.Effect<number, GatewayProxyNotFound>
  }
>()("app/gateway/GatewayTerms") {
  static readonly layerNoDeps = Layer.effect(
    GatewayTerms,
    Effect.gen(function* () {
      const proxies = yield* GatewayProxiesRepo
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
              return yield* repo.append(changed)
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

      const replace = Effect.fn("GatewayTerms.replace")(function* (id: GatewayProxyId, reference: string) {
        yield* proxies.lockAllocation
        return yield* once(
          id,
          reference,
          Effect.fnUntraced(function* (proxy) {
            const exit_ip = yield* proxies.replacementExit(proxy)
            if (exit_ip === null) return yield* refuse("No other exit address of its pool is free")
            return yield* repo.save({ ...proxy, exit_ip, logins: newLogins(), change_reference: reference })
          })
        )
      }, atomically)

      const spareExits = Effect.fn("GatewayTerms.spareExits")(function* (id: GatewayProxyId) {
        const proxy = yield* proxies.byId(id)
        return Option.isSome(proxy) ? yield* proxies.countSpareExits(proxy.value) : yield* new GatewayProxyNotFound()
      })

      return GatewayTerms.of({ extend, addTraffic, replace, spareExits })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([GatewayChangesRepo.layer, GatewayProxiesRepo.layer]))
}
