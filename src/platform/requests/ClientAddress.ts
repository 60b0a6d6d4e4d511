import { Config, Context, Effect, Layer, Option, Result } from "effect"
import { HttpServerRequest } from "effect/http"
import { IpNetwork, NetAddress } from "effect/net"
import type { IncomingMessage } from "node:http"
import { isIPv4 } from "node:net"
import * as Setting from "../settings/IntegerSetting.ts"

/** Writes an address in canonical form. Most addresses already are. */
const plain = (text: string): Option.Option<string> => (isIPv4(text) ? Option.some(text) : parsed(text))

const parsed = (text: string): Option.Option<string> =>
  Option.map(Result.getSuccess(NetAddress.ipFromString(text.trim())), (address) =>
    NetAddress.formatIp(NetAddress.toCanonical(address))
  )

/** `TRUST_PROXY`: number of trusted reverse proxies in front. */
export const TrustedProxies = Setting.integer("TRUST_PROXY", 0, 10).pipe(Config.withDefault(0))

/**
 * Returns the address that the outermost of the `trusted` nearest proxies wrote. Each proxy appends the address of its
 * caller, so a client can invent only the entries before.
 */
const forwarded = (header: string | undefined, trusted: number): Option.Option<string> => {
  const entry = trusted === 0 ? undefined : header?.split(",").at(-trusted)
  return entry === undefined ? Option.none() : plain(entry)
}

/** Returns the /64 network of an IPv6 address, because one customer holds all of it. */
const network = (address: string): string =>
  !address.includes(":")
    ? address
    : Result.match(NetAddress.ipv6FromString(address), {
        onFailure: () => address,
        onSuccess: (ip) => IpNetwork.format(IpNetwork.fromAddressUnsafe(ip, 64))
      })

/** Returns the part of a socket's peer address that limits count. */
export const limitedPart = (address: string): string => network(Option.getOrElse(plain(address), () => address))

/**
 * The address of the client, in canonical form (`::ffff:192.0.2.1` is `192.0.2.1`). The service trusts the
 * `X-Forwarded-For` of `TRUST_PROXY` reverse proxies in front, by default of none.
 */
export class ClientAddress extends Context.Service<
  ClientAddress,
  {
    readonly current: Effect.Effect<string, never, HttpServerRequest.HttpServerRequest>
    /** The part of the address that limits count: an IPv4 address, or the /64 network of an IPv6 address. */
    readonly limited: Effect.Effect<string, never, HttpServerRequest.HttpServerRequest>
    /** The same for a request of Node's server. */
    readonly limitedOf: (request: IncomingMessage) => string
  }
>()("app/platform/ClientAddress") {
  static readonly layer = Layer.effect(
    ClientAddress,
    Effect.map(TrustedProxies, (trusted) => {
      const addressOf = (forwardedFor: string | undefined, peer: Option.Option<string>) =>
        forwarded(forwardedFor, trusted).pipe(
          Option.orElse(() => Option.flatMap(peer, plain)),
          Option.getOrElse(() => "unknown")
        )
      const current = Effect.map(HttpServerRequest.HttpServerRequest, ({ headers, remoteAddress }) =>
        addressOf(headers["x-forwarded-for"], remoteAddress)
      )
      const limitedOf = ({ headers, socket: { remoteAddress } }: IncomingMessage) =>
        trusted === 0 && remoteAddress !== undefined && isIPv4(remoteAddress)
          ? remoteAddress
          : network(addressOf(headers["x-forwarded-for"]?.toString(), Option.fromNullishOr(remoteAddress)))
      return ClientAddress.of({ current, limited: Effect.map(current, network), limitedOf })
    })
  )
}
