import { assert, layer } from "@effect/vitest"
import { ConfigProvider, Deferred, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { SigningKeys } from "../../src/accounts/sessions/SigningKeys.ts"
import { held } from "../support/Locks.ts"
import { approved, newKey, oneWonAndAllAreDead, openSession } from "./AppsTesting.ts"
import {
  ask,
  balanceOf,
  customer,
  hasLoadBalancer,
  hasRedis,
  Instances,
  limit,
  many,
  offerAt,
  order,
  publicUrl,
  signIn,
  signUp,
  soon
} from "./InstancesTesting.ts"
import { stopsAtOnce } from "./PausedSale.ts"

/** The status of a request with a token: 200 if it works, 401 if not. */
const profile = (at: string, token: string) =>
  Effect.map(ask(at, "GET", "/v1/users/me", { token }), ({ status }) => status)

/** The ids of the present and past signing keys of an instance. */
const kids = (at: string) =>
  Effect.map(ask(at, "GET", "/.well-known/jwks.json"), ({ body }) => body.keys.map((key: { kid: string }) => key.kid))

/** In milliseconds, on a busy machine. */
const patience = 300_000

layer(Instances.layer, { excludeTestServices: true })("Two instances", (it) => {
  it.effect.skipIf(!hasRedis)(
    "count a client's requests together (needs redis-server)",
    () =>
      Effect.gen(function* () {
        const { a, b } = yield* Instances
        // The count forgets a client after a minute, and a slow Redis is left alone for five seconds: then another client.
        let client = 0
        const visits = Effect.gen(function* () {
          const headers = { "x-forwarded-for": `192.0.2.${(client += 1)}` }
          const visit = (at: string) =>
            Effect.map(ask(at, "GET", "/v1/catalog?limit=1", { headers }), ({ status }) => status)
          const served = yield* Effect.all(Effect.replicate(visit(a.url), limit), { concurrency: 8 })
          return [...new Set(served), yield* visit(b.url)]
        })
        yield* soon("the other instance refuses one more", visits, (statuses) => String(statuses) === "200,429")
      }),
    patience
  )

  it.effect(
    "make one order for a key, send each event once and announce each expiry once",
    () =>
      Effect.gen(function* () {
        const { a, b, hooks } = yield* Instances
        const sql = yield* SqlClient.SqlClient
        const { id: user_id, token } = yield* customer(a.url, b.url, 100)
        yield* ask(a.url, "POST", "/v1/webhooks", { token, body: { url: `http://${hooks.host}/hook` } })
        const offer_id = yield* offerAt(b.url)
        const before = yield* balanceOf(b.url, token)
        const keys = Array.from({ length: 6 }, () => randomUUID())
        const answers = yield* many(keys.length * 4, (n) =>
          order(n % 2 === 0 ? a.url : b.url, token, offer_id, keys[Math.floor(n / 4)]!, 5)
        )
        assert.deepStrictEqual([...new Set(answers.map(({ status }) => status))], [201])
        const bought = answers.map(({ body }) => body.map(({ id }: { id: string }) => id).join(" "))
        const orders = [...new Set(bought)].flatMap((ids) => ids.split(" "))
        assert.lengthOf(orders, 30)
        const price = Math.round(answers[0]!.body[0].total_usd * 1e6)
        assert.strictEqual(yield* balanceOf(a.url, token), before - orders.length * price)

        yield* sql`UPDATE user_account SET email_verified = true WHERE id = ${user_id}`
        const [started, expiring] = [new Date(Date.now() - 60_000), new Date(Date.now() - 1000)]
        yield* sql`
        UPDATE proxy_order SET cycle_started_at = ${started}, expiring_at = ${expiring} WHERE user_id = ${user_id}
      `
        const notices = Effect.map(ask(b.url, "GET", "/v1/notifications?limit=100", { token }), ({ body }) =>
          (body.notifications as ReadonlyArray<{ kind: string; order_id: string }>).filter(
            ({ kind }) => kind === "proxy_expiring"
          )
        )
        yield* soon("all have been told of", notices, ({ length }) => length >= orders.length)
        const expected = orders.flatMap((id) => [`${id} active`, `${id} expiring`])
        yield* soon(
          "all events have arrived",
          Effect.sync(() => hooks.arrivals.length),
          (n) => n >= expected.length
        )
        const unsent = sql`SELECT FROM email_outbox WHERE kind = 'notice'`
        yield* soon("all mail is sent", unsent, ({ length }) => length === 0)

        assert.deepStrictEqual((yield* notices).map(({ order_id }) => order_id).toSorted(), orders.toSorted())
        assert.deepStrictEqual(
          hooks.arrivals.map(({ data, meta }) => `${data.order_id} ${data.proxy.status} ${meta.attempt}`).toSorted(),
          expected.map((event) => `${event} 1`).toSorted()
        )
        const mails = [a, b].flatMap(({ directory }) => {
          const sent = path.join(directory, "mail")
          return fs.existsSync(sent)
            ? fs.readdirSync(sent).map((file) => fs.readFileSync(path.join(sent, file), "utf8"))
            : []
        })
        assert.lengthOf(
          mails.filter((text) => /expires on/.test(text)),
          orders.length
        )
      }),
    patience
  )

  it.effect("stop a sale at once that the operator pauses at one of them", () => stopsAtOnce, patience)

  it.effect(
    "redeem a code once that comes to both",
    () =>
      Effect.gen(function* () {
        const { a, b } = yield* Instances
        const { redeem, refresh } = yield* approved
        const answers = yield* many(8, (n) => redeem(n % 2 === 0 ? a.url : b.url))
        yield* oneWonAndAllAreDead(answers, refresh)
      }),
    patience
  )

  it.effect(
    "refresh a token once that comes to both",
    () =>
      Effect.gen(function* () {
        const { a, b } = yield* Instances
        const { redeem, refresh } = yield* approved
        const { body } = yield* redeem(a.url)
        const answers = yield* many(8, (n) => refresh(n % 2 === 0 ? a.url : b.url, body.refresh_token))
        yield* oneWonAndAllAreDead(answers, refresh)
      }),
    patience
  )

  it.effect(
    "know of each other's sign-ins, sign-outs and signing keys",
    () =>
      Effect.gen(function* () {
        const { a, b } = yield* Instances
        const { email, token } = yield* signUp(a.url)
        assert.strictEqual(yield* profile(b.url, token), 200)
        yield* ask(b.url, "POST", "/v1/auth/logout", { token })
        yield* soon("the session is over at the other", profile(a.url, token), (status) => status === 401)

        const [kept, ended] = [yield* signIn(a.url, email), yield* signIn(b.url, email)]
        assert.strictEqual(yield* profile(a.url, ended.token), 200)
        yield* ask(b.url, "DELETE", `/v1/auth/sessions/${ended.session_id}`, { token: kept.token })
        yield* soon("its end is known at the other", profile(a.url, ended.token), (status) => status === 401)

        const { kid } = yield* SigningKeys.use(({ rotate }) => rotate).pipe(
          Effect.provide(
            SigningKeys.layer.pipe(
              Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord({ PUBLIC_URL: publicUrl })))
            )
          )
        )
        for (const [one, other] of [
          [a, b],
          [b, a]
        ] as const) {
          yield* soon("the key is known", kids(one.url), (kids) => kids.includes(kid))
          const { token } = yield* signIn(one.url, email)
          assert.strictEqual(JSON.parse(Buffer.from(token.split(".")[0] ?? "", "base64url").toString()).kid, kid)
          assert.strictEqual(yield* profile(other.url, token), 200)
        }
      }),
    patience
  )

  it.effect(
    "refuse a revoked key and a signed-out session immediately while they receive no notifications",
    () =>
      Effect.gen(function* () {
        const { a, b } = yield* Instances
        const sql = yield* SqlClient.SqlClient
        const { token } = yield* signUp(a.url)
        const made = yield* ask(a.url, "POST", "/v1/api-keys", { token, body: { name: "key" } })
        const [session, key] = [{ authorization: `Bearer ${token}` }, { "x-api-key": made.body.key as string }]
        const statuses = Effect.map(
          many(4, (n) => ask(b.url, "GET", "/v1/users/me", { headers: n < 2 ? session : key })),
          (answers) => answers.map(({ status }) => status)
        )
        assert.deepStrictEqual(yield* statuses, [200, 200, 200, 200])
        // The instances listen again about a second later.
        yield* sql`
          SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND query LIKE 'LISTEN %credential%' AND pid <> pg_backend_pid()
        `
        yield* ask(a.url, "DELETE", `/v1/api-keys/${made.body.id}`, { token })
        yield* ask(a.url, "POST", "/v1/auth/logout", { token })
        assert.deepStrictEqual(yield* statuses, [401, 401, 401, 401])
      }),
    patience
  )

  it.effect(
    "name themselves in the ids of tool-server sessions, which no other instance knows",
    () =>
      Effect.gen(function* () {
        const { a, b } = yield* Instances
        const key = yield* newKey(a.url)
        const session = yield* openSession(b.url, key)
        assert.match(session.id, /^b\.[\w-]+$/)
        assert.deepStrictEqual([yield* session.use(b.url), yield* session.use(a.url)], [200, 404])
        const end = ask(b.url, "DELETE", "/mcp", { headers: { ...key, "mcp-session-id": session.id } })
        assert.strictEqual((yield* end).status, 204)
        assert.strictEqual(yield* session.use(b.url), 404)
      }),
    patience
  )

  it.effect.skipIf(!hasLoadBalancer)(
    "are found again by the load balancer (needs caddy)",
    () =>
      Effect.gen(function* () {
        const { balanced } = yield* Instances
        const key = yield* newKey(balanced)
        const names = new Set<string>()
        for (let n = 0; n < 40 && names.size < 2; n++) {
          const { id, use } = yield* openSession(balanced, key)
          names.add(id.slice(0, 2))
          assert.deepStrictEqual(yield* many(4, () => use(balanced)), [200, 200, 200, 200])
        }
        assert.deepStrictEqual([...names].toSorted(), ["a.", "b."])

        // They come from one address, although their headers name others.
        const strangers = many(10, (n) =>
          ask(balanced, "GET", "/v1/catalog?limit=1", { headers: { "x-forwarded-for": `192.0.2.${n}` } })
        )
        const least = Effect.map(strangers, (answers) =>
          Math.min(...answers.map(({ headers }) => Number(/r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1])))
        )
        yield* soon("strangers are counted together", least, (left) => left <= limit - 3)
      }),
    patience
  )

  it.effect.skipIf(!hasLoadBalancer)(
    "restart one after the other without losing an order (needs caddy)",
    () =>
      Effect.gen(function* () {
        const { a, b, balanced } = yield* Instances
        const sql = yield* SqlClient.SqlClient
        const key = yield* newKey(balanced)
        const offer_id = yield* offerAt(balanced)
        const customers = yield* many(4, () => customer(balanced, balanced, 100))
        const end = yield* Deferred.make<void>()
        // No client can safely repeat these orders: they have no idempotency key.
        const shop = Effect.fnUntraced(function* ({ token }: Effect.Success<ReturnType<typeof customer>>) {
          const statuses: Array<number> = []
          while (!Deferred.isDoneUnsafe(end)) {
            const body = { offer_id, payment_method: "wallet" }
            statuses.push((yield* ask(balanced, "POST", "/v1/orders", { token, body })).status)
            yield* Effect.sleep("150 millis")
          }
          return statuses
        })
        const shopping = yield* Effect.forkChild(many(customers.length, (n) => shop(customers[n]!)))
        const first = yield* a.restart
        // The second instance stops only when the load balancer has found the first again.
        const openedBy = Effect.map(openSession(balanced, key), ({ id }) => id.slice(0, 2))
        yield* soon("the load balancer finds the first instance", openedBy, (name) => name === "a.")
        const codes = [first, yield* b.restart]
        yield* Deferred.succeed(end, undefined)
        const statuses = (yield* Fiber.join(shopping)).flat()
        assert.deepStrictEqual(codes, [0, 0])
        assert.deepStrictEqual(
          statuses,
          statuses.map(() => 201)
        )
        const ids = customers.map(({ id }) => id)
        const orders = yield* sql`SELECT FROM proxy_order WHERE ${sql.in("user_id", ids)}`
        assert.lengthOf(orders, statuses.length)
      }),
    patience
  )

  it.effect(
    "take over the work of a killed instance",
    () =>
      Effect.gen(function* () {
        const { a, b, balanced } = yield* Instances
        const sql = yield* SqlClient.SqlClient
        const { id: user_id, token } = yield* customer(a.url, b.url, 10)
        const offer_id = yield* offerAt(b.url)
        const before = yield* balanceOf(b.url, token)
        const session = yield* openSession(a.url, yield* newKey(a.url))

        // The instance has charged the order when it is killed, and its call of the provider has no effect.
        const locked = yield* held(sql`LOCK TABLE gateway_proxy IN EXCLUSIVE MODE`)
        yield* Effect.forkChild(Effect.exit(order(a.url, token, offer_id, "key")))
        const stuck = sql<{ pid: number }>`
        SELECT pid FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%INSERT INTO gateway_proxy%'
      `
        const [waiting] = yield* soon("the order is charged", stuck, ({ length }) => length > 0)
        yield* a.kill
        yield* sql`SELECT pg_terminate_backend(${waiting!.pid})`
        yield* locked.open
        yield* Fiber.join(locked.running)
        assert.lengthOf(yield* sql`SELECT FROM proxy_order WHERE user_id = ${user_id} AND status = 'paid'`, 1)

        // The leases end, and so does the time limit of the call.
        yield* sql`
          UPDATE provisioning_attempt SET started_at = started_at - interval '1 minute'
          WHERE order_id IN (SELECT id FROM proxy_order WHERE user_id = ${user_id})
        `
        yield* sql`UPDATE proxy_order SET provision_at = 'epoch' WHERE user_id = ${user_id} AND status = 'paid'`
        yield* sql`UPDATE idempotency_key SET busy_until = 'epoch' WHERE user_id = ${user_id}`
        const provisioned = sql`SELECT FROM proxy_order WHERE user_id = ${user_id} AND status = 'provisioned'`
        yield* soon("the order is provisioned", provisioned, ({ length }) => length === 1)
        const again = yield* order(b.url, token, offer_id, "key")
        assert.deepStrictEqual([again.status, again.body.length], [201, 1])
        assert.strictEqual(again.body[0].status, "provisioned")
        assert.strictEqual(yield* balanceOf(b.url, token), before - Math.round(again.body[0].total_usd * 1e6))
        if (hasLoadBalancer) yield* soon("the session is not found", session.use(balanced), (status) => status === 404)
      }),
    patience
  )
})
