import { Config, Context, Effect, Layer, Option, Result } from "effect"
import { HttpServerRequest } from "effect/http"
import { IpNetwork, NetAddress } from "effect/net"
import { isIPv4 } from "node:net"
import * as Setting from "../settings/IntegerSetting.ts"

/** Most are in plain form already. */
const plain = (text: string): Option.Option<string> => (isIPv4(text) ? Option.some(text) : parsed(text))

const parsed = (text: string): Option.Option<string> =>
  Option.map(Result.getSuccess(NetAddress.ipFromString(text.trim())), (address) =>
    NetAddress.formatIp(NetAddress.toCanonical(address))
  )

/** `TRUST_PROXY`: how many proxies in front are believed about the address a request came from. */
export const TrustedProxies = Setting.integer("TRUST_PROXY", 0, 10).pipe(Config.withDefault(0))

/**
 * Each proxy in front appends the address it was called from, so the entries that the nearest
 * `trusted` proxies wrote are the only ones a client cannot invent.
 */
const forwarded = (header: string | undefined, trusted: number): Option.Option<string> => {
  const entry = trusted === 0 ? undefined : header?.split(",").at(-trusted)
  return entry === undefined ? Option.none() : plain(entry)
}

/** A single customer holds all of an IPv6 /64. */
const network = (address: string): string =>
  !address.includes(":")
    ? address
    : Result.match(NetAddress.ipv6FromString(address), {
        onFailure: () => address,
        onSuccess: (ip) => IpNetwork.format(IpNetwork.fromAddressUnsafe(ip, 64))
      })

/** The part of a peer's address that limits count, as of a socket. */
export const limitedPart = (address: string): string => network(Option.getOrElse(plain(address), () => address))

/**
 * The address a request came from, in plain form (`::ffff:192.0.2.1` is `192.0.2.1`). `TRUST_PROXY` is the number
 * of proxies in front whose `X-Forwarded-For` is believed; by default none is.
 */
export class ClientAddress extends Context.Service<
  ClientAddress,
  {
    readonly current: Effect.Effect<string, never, HttpServerRequest.HttpServerRequest>
    /** What is counted of it by a limit: the address, or the /64 network of an IPv6 one. */
    readonly limited: Effect.Effect<string, never, HttpServerRequest.HttpServerRequest>
  }
>()("app/platform/ClientAddress") {
  static readonly layer = Layer.effect(
    ClientAddress,
    Effect.map(TrustedProxies, (trusted) => {
      const current = Effect.map(HttpServerRequest.HttpServerRequest, (request) =>
        forwarded(request.headers["x-forwarded-for"], trusted).pipe(
          Option.orElse(() => Option.flatMap(request.remoteAddress, plain)),
          Option.getOrElse(() => "unknown")
        )
      )
      return ClientAddress.of({ current, limited: Effect.map(current, network) })
    })
  )
}
