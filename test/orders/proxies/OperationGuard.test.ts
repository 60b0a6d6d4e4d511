import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { HttpMethod } from "effect/http"
import { randomUUID } from "node:crypto"
import { MemoryProvider } from "../../support/MemoryProvider.ts"
import { request as call } from "../../support/TestServer.ts"
import { customer, expire, type Kind, ordered, server, without } from "./ManagementTesting.ts"

const managed = [
  "order_id",
  "provider_proxy_id",
  "status",
  "expires_at",
  "auto_renew",
  "whitelisted_ips",
  "bandwidth_total_gb",
  "bandwidth_used_gb",
  "previous_expires_at"
]
const whitelist = ["order_id", "provider_proxy_id", "status", "expires_at", "whitelisted_ips"]
const snapshot = [
  "type",
  "id",
  "status",
  "order_status",
  "auto_renew",
  "expires_at",
  "host",
  "port",
  "username",
  "password",
  "current_ip",
  "signature",
  "tags",
  "whitelisted_ips",
  "proxy_type",
  "ip_version",
  "protocol",
  "country",
  "city",
  "isp",
  "period_days",
  "bandwidth_gb",
  "quantity",
  "total_usd",
  "total_amount",
  "currency",
  "promo_code_id",
  "discount_usd",
  "created_at",
  "updated_at",
  "payment_intent_id",
  "previous_expires_at"
]

interface Operation {
  readonly method: HttpMethod.HttpMethod
  readonly path: string
  readonly kind: Kind
  readonly body?: unknown
  readonly keys: ReadonlyArray<string>
  /** The refusal of the other kind of order; absent when the operation is for both. */
  readonly wrongKind?: string
  /** The method that the provider must support. */
  readonly ability?: string
  /** True when the operation needs no answer of the provider. */
  readonly isOurs?: boolean
  /** True when the provider can refuse. */
  readonly refusable?: boolean
}

const whitelisted_ips = ["192.0.2.7"]
const protocol = { method: "PUT", path: "protocol", body: { protocol: "SOCKS5" }, ability: "setProtocol" } as const
const sync = { method: "POST", path: "sync" } as const
const credentials = {
  method: "POST",
  path: "credentials",
  body: { ips: whitelisted_ips },
  ability: "setAccess",
  refusable: true
} as const
const tags = { method: "POST", path: "tags", body: { tags: ["a"] }, isOurs: true } as const
const release = { method: "POST", path: "release" } as const
const mobile = { method: "POST", kind: "mobile", keys: snapshot, wrongKind: "mobile rotating" } as const

const operations: ReadonlyArray<Operation> = [
  {
    method: "PUT",
    path: "whitelist",
    kind: "static",
    body: { whitelisted_ips },
    keys: whitelist,
    wrongKind: "credentials",
    ability: "setAccess",
    refusable: true
  },
  { ...protocol, kind: "static", keys: managed, refusable: true },
  { ...protocol, kind: "mobile", keys: snapshot, refusable: true },
  { ...sync, kind: "static", keys: managed },
  { ...sync, kind: "mobile", keys: snapshot },
  { ...mobile, path: "reset", ability: "rotate", refusable: true },
  { ...credentials, kind: "static", keys: [...whitelist, "username", "password"] },
  { ...credentials, kind: "mobile", keys: snapshot },
  { ...mobile, path: "signature", body: { signature: "ios" }, ability: "setSignature", refusable: true },
  { ...tags, kind: "static", keys: ["order_id", "provider_proxy_id", "status", "expires_at", "tags"] },
  { ...tags, kind: "mobile", keys: snapshot },
  { ...release, kind: "static", keys: ["order_id", "provider_proxy_id", "status", "expires_at", "auto_renew"] },
  { ...release, kind: "mobile", keys: snapshot }
]

const sender =
  ({ body, method, path }: Operation) =>
  (order: string, as: object) =>
    call(method, `/v1/orders/${order}/${path}`, { ...as, body })

layer(server, { excludeTestServices: true })("Operations on proxies", (it) => {
  it.effect.each(operations.map((operation) => [`${operation.path} of a ${operation.kind} proxy`, operation] as const))(
    "%s gives every caller and every state the documented answer",
    ([, operation]) =>
      Effect.gen(function* () {
        const { ability, isOurs = false, keys, kind, refusable, wrongKind } = operation
        const send = sender(operation)
        const memory = yield* MemoryProvider
        const user = yield* customer
        const id = yield* ordered(user, kind)
        const refusal = (order: string, as: object = { user }) =>
          Effect.map(send(order, as), ({ body: { code, details }, status }) => [status, code, details])

        assert.deepStrictEqual(yield* refusal(id, {}), [401, "UNAUTHORIZED", undefined])
        assert.deepStrictEqual(yield* refusal(id, { key: `${user};orders:read,wallet:read` }), [
          403,
          "INSUFFICIENT_SCOPE",
          { required_scope: "orders:write" }
        ])
        assert.deepStrictEqual(yield* refusal(id, { user: yield* customer }), [403, "FORBIDDEN", undefined])
        assert.deepStrictEqual(yield* refusal(randomUUID()), [404, "NOT_FOUND", undefined])
        assert.deepStrictEqual((yield* refusal("nonsense")).slice(0, 2), [422, "VALIDATION_ERROR"])

        const badRequest = [400, "BAD_REQUEST", undefined]
        const unprovisioned = yield* ordered(user, kind, "unavailable")
        assert.deepStrictEqual(yield* refusal(unprovisioned), badRequest)
        const ended = yield* ordered(user, kind)
        yield* expire(ended)
        assert.deepStrictEqual(yield* refusal(ended), badRequest)
        if (wrongKind !== undefined) {
          const other = yield* send(yield* ordered(user, kind === "static" ? "mobile" : "static"), { user })
          assert.strictEqual(other.status, 400)
          assert.include(other.body.detail, wrongKind)
        }

        memory.setDown(true)
        const down = yield* Effect.ensuring(
          refusal(id),
          Effect.sync(() => memory.setDown(false))
        )
        assert.deepStrictEqual(down, isOurs ? [200, undefined, undefined] : [503, "SERVICE_UNAVAILABLE", undefined])
        if (ability !== undefined) assert.deepStrictEqual(yield* without(ability, refusal(id)), badRequest)
        if (refusable === true) {
          const gone = yield* ordered(user, kind)
          const lease = memory.leases.get(gone)
          if (lease !== undefined) lease.released = true
          assert.deepStrictEqual(yield* refusal(gone), [409, "CONFLICT", { reason: "provider_refused" }])
        }

        const done = yield* send(id, { key: `${user};orders:write` })
        assert.strictEqual(done.status, 200)
        assert.deepStrictEqual(Object.keys(done.body), keys)
        assert.strictEqual(done.body.previous_expires_at ?? null, null)
      })
  )
})
