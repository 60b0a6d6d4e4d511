import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Cause, Context, Effect, Layer, Result, Schema, SchemaIssue } from "effect"
import { HttpClient, HttpClientError, type HttpClientRequest } from "effect/http"
import { NetAddress } from "effect/net"
import { isIP } from "node:net"
import { allowedEndpoints, endpoint } from "./AllowedEndpoints.ts"
import { describe } from "./ConnectionFailure.ts"
import { GatewayHost } from "../settings/GatewayHost.ts"
import { resolve as resolveName } from "./NameResolution.ts"
import * as OutboundAgent from "./OutboundAgent.ts"
import { OutboundUrl } from "./OutboundUrl.ts"
import { makeIsOwn } from "./OwnAddresses.ts"
import { canonicalText, isDialable } from "./PublicAddress.ts"

/** The service sends nothing to this URL. */
export class UrlRefused extends Schema.TaggedError<UrlRefused>()("UrlRefused", {
  /** For the URL's owner: what it must be. */
  reason: Schema.String
}) {}

export interface OutboundOptions {
  /** Destinations that may be reached although not public, or this machine's own, and by plain http; as `endpoint` writes them. */
  readonly allow: Pick<ReadonlySet<string>, "has">
  /** Every address of a name. */
  readonly resolve?: (name: string) => Promise<ReadonlyArray<string>>
  /** The address or name of this machine, beyond those of its interfaces. */
  readonly host?: string
}

const refused = (reason: string) => new UrlRefused({ reason })

const resolveLimit = "5 seconds"

/** Of a name: every one is checked, by everyone who sends to it. */
const mostAddresses = 32

const refusalFor =
  (allow: OutboundOptions["allow"], isOwn: (ip: string) => boolean) =>
  ({ host, port, secure }: OutboundAgent.Target, addresses: ReadonlyArray<string>): UrlRefused | undefined => {
    const permitted = (text: string) => {
      const address = Result.getOrUndefined(NetAddress.ipFromString(text))
      if (address === undefined) return false
      const ip = canonicalText(address)
      return (secure && port !== 25 && isDialable(address) && !isOwn(ip)) || allow.has(endpoint(ip, port))
    }
    if (addresses.length > mostAddresses) return refused(`must lead to at most ${mostAddresses} addresses`)
    // One address that is not public refuses the name: its owner may be steering it inwards.
    if (addresses.length > 0 && addresses.every(permitted)) return undefined
    if (!secure) return refused("must be an https URL")
    if (port === 25) return refused("must not use port 25")
    // One text for a name that is not there and one that leads inwards: strangers are not told which names are inside.
    return refused(`must lead to a public address: ${host} ${isIP(host) === 0 ? "does not resolve to" : "is not"} one`)
  }

const messages = SchemaIssue.makeFormatterStandardSchemaV1()
const decodeUrl = Schema.decodeUnknownResult(OutboundUrl)

/** The URL, when its spelling is one that requests are sent to. */
const spelled = (text: string): Result.Result<string, UrlRefused> =>
  Result.mapError(decodeUrl(text), ({ issue }) => refused(messages(issue).issues[0]?.message ?? "must be an https URL"))

/** No caller can forget what a URL must be. */
const wellSpelled = (request: HttpClientRequest.HttpClientRequest) =>
  Result.match(spelled(request.url), {
    onSuccess: () => Effect.succeed(request),
    onFailure: (cause) =>
      Effect.fail(
        new HttpClientError.HttpClientError({ reason: new HttpClientError.InvalidUrlError({ request, cause }) })
      )
  })

/** Why a request got no answer, in short words for the one who reads the log of it. */
export const reasonOf = (error: unknown): string => {
  if (HttpClientError.isHttpClientError(error)) return reasonOf(error.reason.cause)
  if (Cause.isTimeoutError(error)) return "No answer in time"
  return error instanceof UrlRefused ? `The URL ${error.reason}` : describe(error)
}

/**
 * Requests to addresses that strangers gave: over https to public addresses, and to what `OUTBOUND_ALLOW` names. The
 * rule is applied to the addresses that are connected to, at every connection.
 */
export class OutboundHttp extends Context.Service<
  OutboundHttp,
  {
    /** Whether a URL could be sent to at this moment: its spelling, and every address it leads to. */
    readonly check: (url: string) => Effect.Effect<void, UrlRefused>
    /**
     * Follows no redirect, keeps no connection and tells nobody of traces; the head of an answer has at most 16 KiB.
     * Time is the caller's to limit, a body's size too (`HttpIncomingMessage.MaxBodySize`). With
     * `HttpClient.withScope` the connection ends with the scope, whatever has become of the body.
     */
    readonly client: HttpClient.HttpClient
  }
>()("app/platform/OutboundHttp") {
  static readonly layerWith = ({ allow, host = "127.0.0.1", resolve = resolveName }: OutboundOptions) =>
    Layer.effect(
      OutboundHttp,
      Effect.gen(function* () {
        const refusal = refusalFor(allow, yield* makeIsOwn({ host, resolve }))
        const agent = yield* OutboundAgent.make({ resolve, refusal })
        const http = yield* Effect.provideService(NodeHttpClient.makeNodeHttp, NodeHttpClient.HttpAgent, agent)

        const check = Effect.fn("OutboundHttp.check")(function* (text: string) {
          const { hostname, port, protocol } = new URL(yield* Effect.fromResult(spelled(text)))
          const secure = protocol === "https:"
          const host = hostname.replace(/^\[|\]$/g, "")
          const addresses =
            isIP(host) === 0
              ? yield* Effect.promise(() => resolve(host)).pipe(
                  Effect.timeoutOrElse({ duration: resolveLimit, orElse: () => Effect.succeed([]) })
                )
              : [host]
          const reason = refusal({ secure, host, port: Number(port || (secure ? 443 : 80)) }, addresses)
          if (reason !== undefined) return yield* reason
        })

        return {
          check,
          // A span would hold the URL, which may hold its owner's secrets, and be told to the other side.
          client: http.pipe(
            HttpClient.mapRequestEffect(wellSpelled),
            HttpClient.transformResponse(Effect.provideService(HttpClient.TracerDisabledWhen, () => true))
          )
        }
      })
    )

  static readonly layer = Layer.unwrap(
    Effect.gen(function* () {
      return OutboundHttp.layerWith({ allow: yield* allowedEndpoints("OUTBOUND_ALLOW"), host: yield* GatewayHost })
    })
  )
}
