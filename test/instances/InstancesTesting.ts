import { Context, Effect, Layer, Scope } from "effect"
import type { ChildProcess } from "node:child_process"
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { HeldPortsRepo } from "../../src/gateway/HeldPortsRepo.ts"
import type { WebhookPayload } from "../../src/webhooks/WebhookPayload.ts"
import * as HeldPorts from "../support/HeldPorts.ts"
import * as RunningService from "../support/RunningService.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import * as Programs from "./Programs.ts"

/** The public address of the service. The tests send no request there. */
export const publicUrl = "http://localhost:8080"

export const password = "correct horse battery staple"

export const hasRedis = Programs.isInstalled("redis-server")
export const hasLoadBalancer = Programs.isInstalled("caddy")

/** Requests a minute, of an account or a client address. */
export const limit = 300

const ended = (child: ChildProcess, signal: NodeJS.Signals) =>
  Effect.promise(async () => {
    child.kill(signal)
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit")
    return child.exitCode
  })

type Payload = typeof WebhookPayload.Encoded

/** Receives webhooks and remembers all of them. */
const receiver = Effect.acquireRelease(
  Effect.promise(async () => {
    const arrivals: Array<Payload> = []
    const server = createServer((request, response) => {
      let body = ""
      request.on("data", (part) => (body += part))
      request.on("end", () => {
        arrivals.push(JSON.parse(body))
        response.writeHead(204).end()
      })
    })
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
    return { server, arrivals, host: `127.0.0.1:${(server.address() as AddressInfo).port}` }
  }),
  ({ server }) =>
    Effect.sync(() => {
      server.closeAllConnections()
      server.close()
    })
)

/**
 * Two instances that run on one database, and on one Redis if it is installed; the load balancer in front of them, if
 * it is installed; and a receiver of webhooks. No gateway runs with them.
 */
export class Instances extends Context.Service<Instances>()("test/Instances", {
  make: Effect.gen(function* () {
    const scope = yield* Effect.scope
    const hooks = yield* receiver
    yield* HeldPorts.hold({ first: 20_000, last: 20_999 })
    const settings = {
      DATABASE_URL: yield* TestDatabase.url,
      DATABASE_POOL: "10",
      PUBLIC_URL: publicUrl,
      TRUST_PROXY: "1",
      RATE_LIMIT_PER_MINUTE: String(limit),
      AUTH_RATE_LIMIT_FACTOR: "1000",
      OUTBOUND_ALLOW: hooks.host,
      GATEWAY_PORTS: "20000-20999",
      DRAIN_SECONDS: "2",
      ...(hasRedis ? { REDIS_URL: yield* Programs.redis } : {})
    }
    const start = Effect.fnUntraced(function* (name: string) {
      const service = yield* RunningService.makeWith({
        args: ["--no-gateway"],
        env: { ...settings, INSTANCE_NAME: name }
      })
      let child = (yield* service.start).child
      return {
        url: service.url,
        directory: service.directory,
        kill: Effect.suspend(() => ended(child, "SIGKILL")),
        /** Stops the instance as an operator does, and starts it again; answers its exit code. */
        restart: Effect.gen(function* () {
          const code = yield* ended(child, "SIGTERM")
          child = (yield* Scope.provide(service.start, scope)).child
          return code
        })
      }
    })
    const [a, b] = yield* Effect.all([start("a"), start("b")], { concurrency: "unbounded" })
    const balanced = hasLoadBalancer ? yield* Programs.loadBalancer(a.url, b.url) : ""
    return { a, b, balanced, hooks }
  })
}) {
  static readonly layer = Layer.effect(this, this.make).pipe(
    Layer.provide(HeldPortsRepo.layer),
    Layer.provideMerge(TestDatabase.layer)
  )
}

interface Asked {
  readonly token?: string
  readonly headers?: Readonly<Record<string, string>>
  /** JSON, or a form. */
  readonly body?: object | URLSearchParams
}

/** One request to an instance. */
export const ask = (at: string, method: string, path: string, { body, headers = {}, token }: Asked = {}) =>
  Effect.promise(async () => {
    const isForm = body instanceof URLSearchParams
    const response = await fetch(`${at}${path}`, {
      method,
      headers: {
        ...(body === undefined || isForm ? {} : { "content-type": "application/json" }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...headers
      },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) })
    })
    const text = await response.text()
    // oxlint-disable-next-line typescript/no-explicit-any -- as answers come
    const parsed: any = /json/.test(response.headers.get("content-type") ?? "") ? JSON.parse(text) : text
    return { status: response.status, headers: response.headers, body: parsed }
  })

/** Signs up a new person at one instance. */
export const signUp = Effect.fnUntraced(function* (at: string) {
  const email = `${randomUUID()}@example.com`
  const { body } = yield* ask(at, "POST", "/v1/auth/register", { body: { email, password } })
  return { email, id: body.user.id as string, token: body.access_token as string }
})

/** Begins another session of an account. */
export const signIn = Effect.fnUntraced(function* (at: string, email: string) {
  const { body } = yield* ask(at, "POST", "/v1/auth/login", { body: { email, password } })
  const token = body.access_token as string
  const { body: list } = yield* ask(at, "GET", "/v1/auth/sessions", { token })
  const current = list.sessions.find((one: { is_current: boolean }) => one.is_current)
  return { token, session_id: current.id as string }
})

/** A customer with dollars: the deposit is made at one instance, its payment at the other. */
export const customer = Effect.fnUntraced(function* (at: string, payAt: string, amount: number) {
  const account = yield* signUp(at)
  const { body } = yield* ask(at, "POST", "/v1/payments/deposits", {
    token: account.token,
    body: { amount, currency: "USD", payment_method: "card_gateway" }
  })
  yield* ask(payAt, "POST", body.payment_url.replace(publicUrl, ""), { body: new URLSearchParams({ outcome: "paid" }) })
  return account
})

export const balanceOf = (at: string, token: string) =>
  Effect.map(
    ask(at, "GET", "/v1/wallet/balance?currency=USD", { token }),
    ({ body }) => Math.round(body.balance * 1e6) as number
  )

/** An offer for the wallet, and its price in millionths of a dollar. */
export const offerAt = Effect.fnUntraced(function* (at: string) {
  const { body } = yield* ask(at, "GET", "/v1/catalog?kind=datacenter&is_available=true")
  return body.kinds[0].offers[0].id as number
})

export const order = (at: string, token: string, offer_id: number, key: string, quantity = 1) =>
  ask(at, "POST", "/v1/orders", {
    token,
    headers: { "idempotency-key": key },
    body: { offer_id, payment_method: "wallet", quantity }
  })

export const many = <A, E, R>(times: number, one: (n: number) => Effect.Effect<A, E, R>) =>
  Effect.all(
    Array.from({ length: times }, (_, n) => one(n)),
    { concurrency: "unbounded" }
  )

/** Waits for an answer that passes the test; other processes are at work on it. */
export const soon = <A, E, R>(what: string, question: Effect.Effect<A, E, R>, isSo: (answer: A) => boolean) =>
  RunningService.eventually(what, Effect.filterOrFail(question, isSo))
