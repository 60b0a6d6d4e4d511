import { ByteSize, Context, Duration, Effect, Layer, Semaphore } from "effect"
import { HttpClient, HttpClientRequest, type HttpClientResponse, HttpIncomingMessage } from "effect/http"
import { isIP } from "node:net"
import { OutboundHttp, reasonOf } from "../platform/outbound/OutboundHttp.ts"
import * as ClientDocument from "./ClientDocument.ts"
import { type ClientUnusable, DocumentFetchesBusy, unusable } from "./ClientErrors.ts"
import type { ClientMetadata } from "./ClientMetadata.ts"

/** The limit for the whole fetch, including the DNS lookup. */
const timeout = Duration.seconds(5)
/** Below the limit of the guarded HTTP client for one connection. */
const mostBytes = ByteSize.kibibytes(32)
const atOnce = 32

const requestFor = (client_id: string) =>
  HttpClientRequest.get(client_id, {
    headers: { accept: "application/json", "user-agent": "proxy-rental-service (client metadata)" }
  })

const isJson = (contentType: string | undefined) =>
  /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(contentType ?? "")

/** Reads the JSON body of a good response. */
const bodyOf = Effect.fnUntraced(function* (response: HttpClientResponse.HttpClientResponse) {
  const { headers, status } = response
  if (status !== 200) return yield* unusable(`The server of the document must answer 200; it answered ${status}`)
  if (!isJson(headers["content-type"])) return yield* unusable("The document must be served as application/json")
  const text = yield* response.text.pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, mostBytes),
    Effect.mapError(() => unusable("The document must be complete and have at most 32 KiB"))
  )
  return yield* Effect.try({
    try: (): unknown => JSON.parse(text),
    catch: () => unusable("The document must be JSON")
  })
})

/** Fetches client ID metadata documents, from public addresses only and without following redirects. */
export class ClientDocuments extends Context.Service<
  ClientDocuments,
  {
    /** Fetches the metadata in the document, and the time for which it is fresh. */
    readonly fetch: (
      client_id: string
    ) => Effect.Effect<
      { readonly metadata: ClientMetadata; readonly freshFor: Duration.Duration },
      ClientUnusable | DocumentFetchesBusy
    >
  }
>()("app/oauth/ClientDocuments") {
  static readonly layer = Layer.effect(
    ClientDocuments,
    Effect.gen(function* () {
      const outbound = yield* OutboundHttp
      const client = HttpClient.withScope(outbound.client)
      const gate = yield* Semaphore.make(atOnce)

      /**
       * Refuses an IP address as host, because it does not show who publishes the app. Hosts in `OUTBOUND_ALLOW`, the only ones
       * reachable by plain `http`, are exempt.
       */
      const checkHost = Effect.fnUntraced(function* (client_id: string) {
        const { hostname, port, protocol } = new URL(client_id)
        if (isIP(hostname.replace(/^\[|\]$/g, "")) === 0) return
        const plain = `http://${hostname}:${port || (protocol === "https:" ? 443 : 80)}/`
        yield* Effect.mapError(outbound.check(plain), () =>
          unusable("The client_id URL must have a name as its host, not an IP address")
        )
      })

      const get = Effect.fnUntraced(
        function* (client_id: string) {
          const response = yield* client.execute(requestFor(client_id)).pipe(
            // The runtime throws when it cannot send a request at all.
            Effect.catchDefect(Effect.fail),
            Effect.mapError((error) => unusable(`The document could not be fetched: ${reasonOf(error)}`))
          )
          const document = yield* bodyOf(response)
          const metadata = yield* Effect.fromResult(ClientDocument.read(client_id, document))
          return { metadata, freshFor: ClientDocument.freshFor(response.headers["cache-control"]) }
        },
        Effect.scoped,
        Effect.timeoutOrElse({
          duration: timeout,
          orElse: () => Effect.fail(unusable("The document did not arrive within 5 seconds"))
        })
      )

      const fetch = Effect.fn("ClientDocuments.fetch")(function* (client_id: string) {
        const fault = ClientDocument.addressFaultOf(client_id)
        if (fault !== undefined) return yield* unusable(`The client_id URL ${fault}`)
        yield* checkHost(client_id)
        const fetched = yield* gate.withPermitsIfAvailable(1)(get(client_id))
        return yield* Effect.fromOption(fetched, () => new DocumentFetchesBusy())
      })

      return { fetch }
    })
  )
}
