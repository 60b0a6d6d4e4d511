import { Context, DateTime, Effect, Layer, Option, Result, Schema } from "effect"
import { NetAddress } from "effect/net"
import { Atomically } from "../platform/postgres/Atomically.ts"
import { canonicalText } from "../platform/outbound/PublicAddress.ts"
import { GatewayChangesRepo, type LockedProxy } from "./GatewayChangesRepo.ts"
import { GatewayChangeRefused, type GatewayProxyEnded, type GatewayProxyNotFound } from "./GatewayErrors.ts"
import { GatewayProxiesRepo } from "./GatewayProxiesRepo.ts"
import { DeviceSignature, GatewayLogins, type GatewayProxy, type GatewayProxyId } from "./GatewayProxy.ts"
import type { OwnRule } from "./OwnRule.ts"

/** The clients that may use a proxy. An absent field keeps its current value. */
export interface GatewayUsers {
  readonly whitelist?: ReadonlyArray<string>
  readonly logins?: ReadonlyArray<{ readonly username: string; readonly password: string }>
}

type Changed = Effect.Effect<GatewayProxy, GatewayProxyNotFound | GatewayProxyEnded | GatewayChangeRefused>

const whitelistLength = 100
const ownRulesAtMost = 50

const isLogins = Schema.is(GatewayLogins)
const isSignature = Schema.is(DeviceSignature)

const refuse = (detail: string) => new GatewayChangeRefused({ detail })

/** Converts a whitelist to canonical addresses, without duplicates. None: an address is invalid, or the list is too long. */
const canonicalWhitelist = (texts: ReadonlyArray<string>) =>
  Option.all(texts.map((text) => Result.getSuccess(NetAddress.ipFromString(text)))).pipe(
    Option.map((addresses) => [...new Set(addresses.map(canonicalText))]),
    Option.filter(({ length }) => length <= whitelistLength)
  )

const checkUsers = Effect.fnUntraced(function* ({ logins, whitelist }: GatewayUsers) {
  const canonical = canonicalWhitelist(whitelist ?? [])
  if (Option.isNone(canonical)) return yield* refuse(`A whitelist contains at most ${whitelistLength} IP addresses`)
  if (logins !== undefined && !isLogins(logins))
    return yield* refuse(
      "A proxy has 1 to 20 logins. A username or password has at most 255 bytes and no control characters; a username has no colon"
    )
  return { ...(whitelist && { whitelist: canonical.value }), ...(logins && { logins }) }
})

/** The free changes of an open proxy: logins, whitelist, destinations, protocol, exit address, device signature. Each can be repeated. */
export class GatewayAccess extends Context.Service<
  GatewayAccess,
  {
    readonly setUsers: (id: GatewayProxyId, users: GatewayUsers) => Changed
    /** Replaces the owner's rules about destinations. Open connections that they forbid end. */
    readonly setDestinations: (id: GatewayProxyId, rules: ReadonlyArray<OwnRule>) => Changed
    readonly setProtocol: (id: GatewayProxyId, protocol: GatewayProxy["protocol"]) => Changed
    /**
     * Moves a mobile proxy to another exit address of its pool, when there is one, and ends its connections.
     */
    readonly rotate: (id: GatewayProxyId) => Changed
    /** The same when the proxy's own interval has passed; else changes nothing. */
    readonly rotateDue: (id: GatewayProxyId) => Effect.Effect<LockedProxy, GatewayProxyNotFound | GatewayProxyEnded>
    /** Sets the device signature of a mobile proxy. It is only a label. */
    readonly setSignature: (id: GatewayProxyId, signature: string) => Changed
  }
>()("app/gateway/GatewayAccess") {
  static readonly layerNoDeps = Layer.effect(
    GatewayAccess,
    Effect.gen(function* () {
      const proxies = yield* GatewayProxiesRepo
      const repo = yield* GatewayChangesRepo
      const atomically = yield* Atomically

      const setUsers = Effect.fn("GatewayAccess.setUsers")(function* (id: GatewayProxyId, users: GatewayUsers) {
        const changed = yield* checkUsers(users)
        return yield* repo.save({ ...(yield* repo.lockLive(id)), ...changed })
      }, atomically)

      const setDestinations = Effect.fn("GatewayAccess.setDestinations")(function* (
        id: GatewayProxyId,
        destinations: ReadonlyArray<OwnRule>
      ) {
        if (destinations.length > ownRulesAtMost) return yield* refuse(`A proxy has at most ${ownRulesAtMost} rules`)
        return yield* repo.save({ ...(yield* repo.lockLive(id)), destinations })
      }, atomically)

      const setProtocol = Effect.fn("GatewayAccess.setProtocol")(function* (
        id: GatewayProxyId,
        protocol: GatewayProxy["protocol"]
      ) {
        return yield* repo.save({ ...(yield* repo.lockLive(id)), protocol })
      }, atomically)

      const lockMobile = Effect.fnUntraced(function* (id: GatewayProxyId) {
        const proxy = yield* repo.lockLive(id)
        return proxy.kind === "mobile" ? proxy : yield* refuse("Only a mobile proxy supports this change")
      })

      const rotateLocked = Effect.fnUntraced(function* (proxy: LockedProxy) {
        const exit_ip = yield* proxies.nextExitIp(proxy)
        const { rotate_minutes, rotations, updated_at } = proxy
        const rotate_at = rotate_minutes === null ? null : DateTime.add(updated_at, { minutes: rotate_minutes })
        return yield* repo.save({ ...proxy, exit_ip, rotate_at, rotations: rotations + 1 })
      })

      const rotate = Effect.fn("GatewayAccess.rotate")(function* (id: GatewayProxyId) {
        yield* proxies.lockAllocation
        return yield* rotateLocked(yield* lockMobile(id))
      }, atomically)

      const rotateDue = Effect.fn("GatewayAccess.rotateDue")(function* (id: GatewayProxyId) {
        yield* proxies.lockAllocation
        const proxy = yield* repo.lockLive(id)
        if (proxy.rotate_at === null || DateTime.isGreaterThan(proxy.rotate_at, proxy.updated_at)) return proxy
        return yield* rotateLocked(proxy)
      }, atomically)

      const setSignature = Effect.fn("GatewayAccess.setSignature")(function* (id: GatewayProxyId, signature: string) {
        if (!isSignature(signature)) return yield* refuse("The device signature is unknown")
        return yield* repo.save({ ...(yield* lockMobile(id)), signature })
      }, atomically)

      return GatewayAccess.of({ setUsers, setDestinations, setProtocol, rotate, rotateDue, setSignature })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([GatewayChangesRepo.layer, GatewayProxiesRepo.layer]))
}
