import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import type { Socket } from "node:net"
import { DestinationRules } from "../../../src/gateway/DestinationRules.ts"
import type { GatewayProxy } from "../../../src/gateway/GatewayProxy.ts"
import type { PlacedRule } from "../../../src/gateway/PlacedRule.ts"
import { connectVia, drained, fetchPlain, socksVia } from "../ProxyClient.ts"
import { eventually, open, Origins, runningGateway, tunnelTo, via } from "../RunningGateway.ts"

const services = Layer.provideMerge(DestinationRules.layer, runningGateway())

const terms = {
  scope: "platform",
  scope_id: null,
  action: "deny",
  first_port: null,
  last_port: null,
  network: null,
  host_suffix: null,
  until_at: null,
  reason: "a test",
  placed_by: "cli:test"
} as const

const place = (rule: Partial<Omit<PlacedRule, "id" | "placed_at">>) =>
  DestinationRules.use(({ place }) => place({ ...terms, ...rule }))

const remove = ({ id }: PlacedRule) => DestinationRules.use(({ remove }) => remove(id))

/** Places a rule, runs, and removes the rule. */
const under = <A, E, R>(rule: Partial<PlacedRule>, run: Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    place(rule),
    () => run,
    (placed) => Effect.orDie(remove(placed))
  )

const statusOf = (proxy: GatewayProxy, port: number) =>
  Effect.promise(async () => {
    const { socket, status } = await connectVia(via(proxy), `127.0.0.1:${port}`)
    socket.destroy()
    return status
  })

const statusBecomes = (proxy: GatewayProxy, port: number, expected: number) =>
  eventually(async () => assert.strictEqual(await Effect.runPromise(statusOf(proxy, port)), expected))

/** Fails unless the connection ends within a second. */
const endsSoon = (socket: Socket) => Effect.promise(() => drained(socket)).pipe(Effect.timeout("1 second"))

const talks = (socket: Socket) =>
  Effect.promise(async () => {
    socket.write("x")
    assert.strictEqual(String((await once(socket, "data"))[0]), "x")
  })

const message = (rule: Partial<PlacedRule>) =>
  Effect.map(Effect.result(place(rule)), (result) => (Result.isFailure(result) ? result.failure.message : "placed"))

layer(services, { excludeTestServices: true })("Destination rules", (it) => {
  it.effect("close open connections within a second, refuse others, and leave the rest alone", () =>
    Effect.gen(function* () {
      const { echo, flood, web } = yield* Origins
      const proxy = yield* open()
      const socks = yield* open({ protocol: "SOCKS5", kind: "residential" })
      const flooding = yield* tunnelTo(proxy, flood)
      const other = yield* tunnelTo(proxy, echo)
      const bySocks = yield* eventually(() => socksVia(via(socks), "127.0.0.1", flood))
      assert.strictEqual(bySocks._tag === "Reply" && bySocks.code, 0)
      const ends = Effect.all(
        [endsSoon(flooding), bySocks._tag === "Reply" ? endsSoon(bySocks.socket) : Effect.die("no reply")],
        { concurrency: 2 }
      )
      yield* under(
        { network: "127.0.0.1/32", first_port: flood, last_port: flood },
        Effect.gen(function* () {
          yield* ends
          yield* talks(other)
          const { headers, status } = yield* Effect.promise(() => connectVia(via(proxy), `127.0.0.1:${flood}`))
          assert.strictEqual(status, 403)
          assert.match(String(headers["x-proxy-error"]), /operator of this gateway has blocked/)
          const plain = yield* Effect.promise(() => fetchPlain(via(proxy), `http://127.0.0.1:${flood}/`))
          assert.strictEqual(plain.status, 403)
          const refused = yield* Effect.promise(() => socksVia(via(socks), "127.0.0.1", flood))
          assert.strictEqual(refused._tag === "Reply" && refused.code, 2)
          assert.strictEqual(yield* statusOf(proxy, web), 200)
        })
      )
      yield* statusBecomes(proxy, flood, 200)
    })
  )

  it.effect("of a narrower scope win", () =>
    Effect.gen(function* () {
      const { echo } = yield* Origins
      const sql = yield* SqlClient.SqlClient
      const [first, second] = [yield* open(), yield* open({ kind: "mobile" })]
      const account = randomUUID()
      yield* sql`UPDATE gateway_proxy SET account_id = ${account}, revision = revision + 1 WHERE id = ${first.id}`
      const allowed = yield* tunnelTo(second, echo)
      yield* under(
        { scope: "proxy", scope_id: second.reference, action: "allow", first_port: 1, last_port: 65_535 },
        under(
          { first_port: echo, last_port: echo },
          Effect.gen(function* () {
            yield* statusBecomes(first, echo, 403)
            yield* talks(allowed)
            assert.strictEqual(yield* statusOf(second, echo), 200)
          })
        )
      )
      yield* statusBecomes(first, echo, 200)
      const article = second.article ?? ""
      yield* under(
        { scope: "article", scope_id: article, first_port: echo, last_port: echo },
        Effect.andThen(statusBecomes(second, echo, 403), statusBecomes(first, echo, 200))
      )
    })
  )

  it.effect("end by themselves, and open connections that an exception allowed end with it", () =>
    Effect.gen(function* () {
      const { echo } = yield* Origins
      const proxy = yield* open({ kind: "mobile" })
      const until_at = DateTime.add(yield* DateTime.now, { milliseconds: 1_500 })
      const range = { first_port: echo, last_port: echo }
      yield* place({ ...range, scope: "proxy", scope_id: proxy.id, action: "allow", until_at })
      const socket = yield* tunnelTo(proxy, echo)
      yield* under(
        range,
        Effect.gen(function* () {
          yield* talks(socket)
          yield* Effect.timeout(
            Effect.promise(() => drained(socket)),
            "3 seconds"
          )
          assert.isAtLeast(Date.now(), DateTime.toEpochMillis(until_at) - 50)
          assert.strictEqual(yield* statusOf(proxy, echo), 403)
        })
      )
      yield* place({ ...range, until_at: DateTime.add(yield* DateTime.now, { milliseconds: 1_000 }) })
      yield* statusBecomes(proxy, echo, 403)
      yield* statusBecomes(proxy, echo, 200)
    })
  )

  it.effect("never open a private address", () =>
    Effect.gen(function* () {
      const proxy = yield* open({ kind: "mobile" })
      yield* under(
        { scope: "proxy", scope_id: proxy.id, action: "allow", network: "10.0.0.0/8" },
        Effect.gen(function* () {
          const { headers, status } = yield* eventually(() => connectVia(via(proxy), "10.0.0.1:80"))
          assert.strictEqual(status, 403)
          assert.match(String(headers["x-proxy-error"]), /not a public address/)
        })
      )
    })
  )

  it.effect("are refused when they are wrong, and bounded in number", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      assert.match(yield* message({}), /without a condition/)
      assert.match(yield* message({ scope: "account", scope_id: randomUUID(), first_port: 1, last_port: 1 }), /unknown/)
      assert.match(yield* message({ scope: "proxy", scope_id: "x", first_port: 1, last_port: 1 }), /unknown/)
      assert.match(yield* message({ first_port: 1, last_port: 1, until_at: DateTime.makeUnsafe(0) }), /in the future/)
      yield* Effect.gen(function* () {
        yield* sql`
          INSERT INTO destination_rule (id, scope, action, first_port, last_port, reason, placed_by, placed_at)
          SELECT gen_random_uuid(), 'platform', 'deny', 1, 1, 'x', 'x', now() FROM generate_series(1, 10000)
        `
        assert.match(yield* message({ first_port: 1, last_port: 1 }), /10000 rules already/)
        const one = yield* Effect.flip(sql`
          INSERT INTO destination_rule (id, scope, action, first_port, last_port, reason, placed_by, placed_at)
          VALUES (gen_random_uuid(), 'platform', 'deny', 1, 1, 'x', 'x', now())
        `)
        assert.include(String(one.reason.cause), "at most 10000")
        return yield* Effect.fail("roll back" as const)
      }).pipe(sql.withTransaction, Effect.ignore)
    })
  )
})
