import { NodeCrypto, NodeHttpClient } from "@effect/platform-node"
import { ConfigProvider, DateTime, Deferred, Effect, Layer, Redacted } from "effect"
import { createServer, type Server } from "node:http"
import { randomUUID } from "node:crypto"
import { UserId } from "../../../src/accounts/User.ts"
import { Addresses } from "../../../src/platform/settings/Addresses.ts"
import type { Currency } from "../../../src/platform/Money.ts"
import type { PaymentEvent } from "../../../src/wallet/gateways/PaymentGateway.ts"
import { PaymentIntent, PaymentIntentId } from "../../../src/wallet/PaymentIntent.ts"
import { currencyOf, type PaymentMethod } from "../../../src/wallet/PaymentMethod.ts"
import { WalletTransactionId } from "../../../src/wallet/WalletTransaction.ts"

interface VendorRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

/** An answer: its status and its body. The body is sent as JSON unless it is a string. */
type VendorReply = readonly [status: number, body: unknown]

const listening = (server: Server) =>
  Effect.callback<string>((resume) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      resume(Effect.succeed(`http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`))
    })
  })

export interface VendorServer {
  readonly url: string
  readonly requests: ReadonlyArray<VendorRequest>
  /** Completes when the first request has arrived. */
  readonly asked: Effect.Effect<void>
  /** Sets the answer to `METHOD /path`; every other request is answered with 404. */
  readonly reply: (route: string, reply: (request: VendorRequest) => VendorReply) => void
  /** Accepts requests and never answers them. */
  readonly fallSilent: () => void
}

/** Starts the API of a vendor on the loopback interface. */
export const make = Effect.gen(function* () {
  const requests: Array<VendorRequest> = []
  const replies = new Map<string, (request: VendorRequest) => VendorReply>()
  const asked = yield* Deferred.make<void>()
  let isSilent = false

  const server = createServer((incoming, response) => {
    const chunks: Array<Buffer> = []
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk))
    incoming.on("end", () => {
      const [method, path] = [incoming.method ?? "", incoming.url ?? ""]
      const request = { method, path, headers: incoming.headers, body: Buffer.concat(chunks).toString() }
      requests.push(request)
      Deferred.doneUnsafe(asked, Effect.void)
      if (isSilent) return
      const [status, body] = replies.get(`${method} ${path}`)?.(request) ?? [404, { message: "not found" }]
      response.writeHead(status, { "content-type": "application/json" })
      response.end(typeof body === "string" ? body : JSON.stringify(body))
    })
  })
  const url = yield* Effect.acquireRelease(listening(server), () =>
    Effect.sync(() => {
      server.closeAllConnections()
      server.close()
    })
  )

  return {
    url,
    requests,
    asked: Deferred.await(asked),
    reply: (route: string, reply: (request: VendorRequest) => VendorReply) => void replies.set(route, reply),
    fallSilent: () => void (isSilent = true)
  } satisfies VendorServer
})

/** The services that an adapter needs. */
export const outside = Layer.mergeAll(Addresses.layer, NodeHttpClient.layerNodeHttp, NodeCrypto.layer).pipe(
  Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord({ PUBLIC_URL: "https://proxies.test" })))
)

/** An intent of 25 dollars or stars, created at the epoch. */
export const intentOf = (payment_method: PaymentMethod, change: { readonly amount?: bigint } = {}): PaymentIntent => {
  const currency: Currency = currencyOf(payment_method)
  const created = DateTime.makeUnsafe(0)
  return new PaymentIntent({
    id: PaymentIntentId.make(randomUUID()),
    user_id: UserId.make(randomUUID()),
    purpose: "deposit",
    payment_method,
    currency,
    amount: currency === "USD" ? 25_000_000n : 25n,
    status: "pending",
    transaction_id: WalletTransactionId.make(randomUUID()),
    card_id: null,
    external_reference: null,
    payment_url: null,
    expires_at: DateTime.add(created, { minutes: 60 }),
    created_at: created,
    updated_at: created,
    ...change
  })
}

export const linkedTo = (intent: PaymentIntent, external_reference: string) =>
  new PaymentIntent({ ...intent, external_reference })

export const secret = (text: string) => Redacted.make(text)

/** A gateway's call. */
export const callOf = (headers: Record<string, string>, body: string) => ({
  headers,
  body: new TextEncoder().encode(body)
})

/** The expected event of a payment in dollars. */
export const paidOf = (intent: string, charge_id: string, amount: bigint): ReadonlyArray<PaymentEvent> => [
  { _tag: "Paid", payment_intent_id: PaymentIntentId.make(intent), charge_id, currency: "USD", amount }
]

/** The tags of the events, separated by commas; empty when there are none. */
export const tags = (events: ReadonlyArray<PaymentEvent>) => events.map(({ _tag }) => _tag).join()
