import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Cause, Context, Effect, Layer, Result, Schema, SchemaIssue, type Scope } from "effect"
import { HttpClient, HttpClientError, type HttpClientRequest } from "effect/http"
import { NetAddress } from "effect/net"
import { isIP } from "node:net"
import { allowedEndpoints, endpoint } from "./AllowedEndpoints.ts"
import { describe } from "./ConnectionFailure.ts"
import * as OpenFiles from "../OpenFiles.ts"
import { GatewayHost } from "../settings/GatewayHost.ts"
import * as KeptConnections from "./KeptConnections.ts"
import { type Resolve, resolve as resolveName } from "./NameResolution.ts"
import * as OutboundAgent from "./OutboundAgent.ts"
import * as OutboundPost from "./OutboundPost.ts"
import { OutboundUrl } from "./OutboundUrl.ts"
import { makeIsOwn } from "./OwnAddresses.ts"
import { canonicalText, isDialable } from "./PublicAddress.ts"

/** The service refuses to send requests to this URL. */
export class UrlRefused extends Schema.TaggedError<UrlRefused>()("UrlRefused", {
  /** The requirement that the URL does not meet, in words for the owner of the URL. */
  reason: Schema.String
}) {}

export interface OutboundOptions {
  /**
   * Destinations that are allowed even over plain http, and even if they are private or belong to this machine. Each
   * has the form of `endpoint`.
   */
  readonly allow: Pick<ReadonlySet<string>, "has">
  readonly resolve?: Resolve
  /** An address or a name of this machine, beside those of its interfaces. */
  readonly host?: string
  /** Limits of kept connections. */
  readonly kept?: Partial<KeptConnections.Limits>
}

const refused = (reason: string) => new UrlRefused({ reason })

const resolveLimit = "5 seconds"

/** Limit of the addresses of a name, because every request checks all of them. */
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
    // One private address is enough to refuse the name, because its owner may point it at the internal network.
    if (addresses.length > 0 && addresses.every(permitted)) return undefined
    if (!secure) return refused("must be an https URL")
    if (port === 25) return refused("must not use port 25")
    // An unknown name and an internal name get the same text, so that the text reveals no internal names.
    return refused(`must lead to a public address: ${host} ${isIP(host) === 0 ? "does not resolve to" : "is not"} one`)
  }

/** The destination of a URL that is well spelled. */
const targetOf = ({ hostname, port, protocol }: URL): OutboundAgent.Target => {
  const secure = protocol === "https:"
  return { secure, host: hostname.replace(/^\[|\]$/g, ""), port: Number(port || (secure ? 443 : 80)) }
}

const messages = SchemaIssue.makeFormatterStandardSchemaV1()
const decodeUrl = Schema.decodeUnknownResult(OutboundUrl)

/** Returns the URL when its spelling is acceptable. */
const spelled = (text: string): Result.Result<string, UrlRefused> =>
  Result.mapError(decodeUrl(text), ({ issue }) => refused(messages(issue).issues[0]?.message ?? "must be an https URL"))

/** Checks the URL of every request, so that no caller can forget the check. */
const wellSpelled = (request: HttpClientRequest.HttpClientRequest) =>
  Result.match(spelled(request.url), {
    onSuccess: () => Effect.succeed(request),
    onFailure: (cause) =>
      Effect.fail(
        new HttpClientError.HttpClientError({ reason: new HttpClientError.InvalidUrlError({ request, cause }) })
      )
  })

/** Explains in a few words why a request got no response, for the reader of a log. */
export const reasonOf = (error: unknown): string => {
  if (HttpClientError.isHttpClientError(error)) return reasonOf(error.reason.cause)
  if (error instanceof OutboundPost.NoAnswer) return describe(error.cause)
  if (Cause.isTimeoutError(error)) return "No answer in time"
  return error instanceof UrlRefused ? `The URL ${error.reason}` : describe(error)
}

/**
 * Requests to untrusted addresses: https to public addresses, and any request to a destination in `OUTBOUND_ALLOW`. The
 * check applies to the addresses that each connection uses.
 */
export class OutboundHttp extends Context.Service<
  OutboundHttp,
  {
    /** Checks the spelling of a URL, and every address that it leads to at this moment. */
    readonly check: (url: string) => Effect.Effect<void, UrlRefused>
    /**
     * Follows no redirect, keeps no connection and sends no trace headers. The head of a response has at most 16 KiB.
     * The caller limits the time and the size of the body (`HttpIncomingMessage.MaxBodySize`). With
     * `HttpClient.withScope` the connection ends with the scope, even when the caller has not read the body.
     */
    readonly client: HttpClient.HttpClient
    /**
     * Sends a request that the receiver may get twice. Follows no redirect and sends no trace headers, like `client`.
     * Keeps connections to receivers that answered with 2xx, for a few seconds; a later request uses one only if its
     * host still leads to the same addresses, which are checked again. The request ends with the scope.
     */
    readonly post: (
      request: OutboundPost.Post
    ) => Effect.Effect<OutboundPost.Answer, UrlRefused | OutboundPost.NoAnswer, Scope.Scope>
  }
>()("app/platform/OutboundHttp") {
  static readonly layerWith = ({ allow, host = "127.0.0.1", kept, resolve = resolveName }: OutboundOptions) =>
    Layer.effect(
      OutboundHttp,
      Effect.gen(function* () {
        const refusal = refusalFor(allow, yield* makeIsOwn({ host, resolve }))
        const fresh = yield* OutboundAgent.make({ resolve, refusal })
        const keeping = yield* KeptConnections.make(kept)
        const http = yield* Effect.provideService(NodeHttpClient.makeNodeHttp, NodeHttpClient.HttpAgent, fresh)

        /** Resolves the host of a URL, unless it is an address. */
        const addressesOf = ({ host }: OutboundAgent.Target) =>
          isIP(host) === 0
            ? Effect.tryPromise({
                try: () => resolve(host),
                catch: (cause) => new OutboundPost.NoAnswer({ cause, is_stale: false })
              })
            : Effect.succeed([host])

        const check = Effect.fn("OutboundHttp.check")(function* (text: string) {
          const target = targetOf(new URL(yield* Effect.fromResult(spelled(text))))
          const addresses = yield* addressesOf(target).pipe(
            Effect.orDie,
            Effect.timeoutOrElse({ duration: resolveLimit, orElse: () => Effect.succeed([]) })
          )
          const reason = refusal(target, addresses)
          if (reason !== undefined) return yield* reason
        })

        const post = Effect.fnUntraced(function* (request: OutboundPost.Post) {
          const target = targetOf(new URL(yield* Effect.fromResult(spelled(request.url))))
          const addresses = yield* addressesOf(target)
          const reason = refusal(target, addresses)
          if (reason !== undefined) return yield* reason
          return yield* OutboundPost.post({ fresh, keeping }, request, KeptConnections.checked(addresses))
        })

        return {
          check,
          post,
          // A span would record the URL, which may hold its owner's secrets, and would add trace headers to the
          // request.
          client: http.pipe(
            HttpClient.mapRequestEffect(wellSpelled),
            HttpClient.transformResponse(Effect.provideService(HttpClient.TracerDisabledWhen, () => true))
          )
        }
      })
    )

  static readonly layer = Layer.unwrap(
    Effect.gen(function* () {
      const kept = { total: KeptConnections.totalOf(OpenFiles.limit()) }
      return OutboundHttp.layerWith({
        allow: yield* allowedEndpoints("OUTBOUND_ALLOW"),
        host: yield* GatewayHost,
        kept
      })
    })
  )
}
