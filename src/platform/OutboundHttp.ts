import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Cause, Context, Effect, Layer, Result, Schema, SchemaIssue } from "effect"
import { HttpClient, HttpClientError } from "effect/http"
import { NetAddress } from "effect/net"
import { isIP } from "node:net"
import { allowedEndpoints, endpoint } from "./AllowedEndpoints.ts"
import { describe } from "./ConnectionFailure.ts"
import { resolve as resolveName } from "./NameResolution.ts"
import * as OutboundAgent from "./OutboundAgent.ts"
import { OutboundUrl } from "./OutboundUrl.ts"
import { canonicalText, isDialable } from "./PublicAddress.ts"

/** The service sends nothing to this URL. */
export class UrlRefused extends Schema.TaggedError<UrlRefused>()("UrlRefused", {
  /** For the URL's owner: what it must be. */
  reason: Schema.String
}) {}

export interface OutboundOptions {
  /** Destinations that may be reached although they are not public, and by plain http, as `endpoint` writes them. */
  readonly allow: Pick<ReadonlySet<string>, "has">
  /** Every address of a name. */
  readonly resolve?: (name: string) => Promise<ReadonlyArray<string>>
}

const refused = (reason: string) => new UrlRefused({ reason })

const resolveLimit = "5 seconds"

const refusalFor =
  (allow: OutboundOptions["allow"]) =>
  ({ host, port, secure }: OutboundAgent.Target, addresses: ReadonlyArray<string>): UrlRefused | undefined => {
    const permitted = (text: string) => {
      const address = Result.getOrUndefined(NetAddress.ipFromString(text))
      if (address === undefined) return false
      return (secure && port !== 25 && isDialable(address)) || allow.has(endpoint(canonicalText(address), port))
    }
    // One address that is not public refuses the name: its owner may be steering it inwards.
    if (addresses.length > 0 && addresses.every(permitted)) return undefined
    if (!secure) return refused("must be an https URL")
    if (port === 25) return refused("must not use port 25")
    return refused(
      addresses.length === 0
        ? `must lead to a public address: ${host} does not resolve`
        : `must lead to a public address: ${host} does not`
    )
  }

const messages = SchemaIssue.makeFormatterStandardSchemaV1()
const decodeUrl = Schema.decodeUnknownResult(OutboundUrl)

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
  static readonly layerWith = ({ allow, resolve = resolveName }: OutboundOptions) =>
    Layer.effect(
      OutboundHttp,
      Effect.gen(function* () {
        const refusal = refusalFor(allow)
        const agent = yield* OutboundAgent.make({ resolve, refusal })
        const http = yield* Effect.provideService(NodeHttpClient.makeNodeHttp, NodeHttpClient.HttpAgent, agent)

        const check = Effect.fn("OutboundHttp.check")(function* (text: string) {
          const decoded = decodeUrl(text)
          if (Result.isFailure(decoded)) {
            return yield* refused(messages(decoded.failure.issue).issues[0]?.message ?? "must be an https URL")
          }
          const { hostname, port, protocol } = new URL(decoded.success)
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
          client: HttpClient.transformResponse(
            http,
            Effect.provideService(HttpClient.TracerDisabledWhen, () => true)
          )
        }
      })
    )

  static readonly layer = Layer.unwrap(
    Effect.map(allowedEndpoints("OUTBOUND_ALLOW"), (allow) => OutboundHttp.layerWith({ allow }))
  )
}
