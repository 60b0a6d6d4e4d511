import { assert, layer } from "@effect/vitest"
import { DateTime, Duration, Effect, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { AbuseLookUp, type AbuseQuestion } from "../../src/abuse/AbuseLookUp.ts"
import { GatewayProxies } from "../../src/gateway/GatewayProxies.ts"
import type { GatewayProxy } from "../../src/gateway/GatewayProxy.ts"
import { connectVia } from "../gateway/ProxyClient.ts"
import { eventually, open, Origins, runningGateway, via } from "../gateway/RunningGateway.ts"

/** Addresses that only this machine reaches; the system holds all of them. */
const exits = { "us-datacenter": ["127.0.0.51"], "us-mobile": ["127.0.0.61", "127.0.0.62"] }

const services = Layer.provideMerge(AbuseLookUp.layer, runningGateway({}, exits))

const ask = (question: Partial<AbuseQuestion> & Pick<AbuseQuestion, "exit_ip">) =>
  Effect.gen(function* () {
    const at = yield* DateTime.now
    const asked = { exit_port: null, at, tolerance: Duration.seconds(120), destinations: null, isMachine: false }
    return yield* AbuseLookUp.use(({ find }) => find({ ...asked, ...question }))
  })

/** Opens a connection through a proxy to the echo. */
const leaving = (proxy: GatewayProxy, port: number) =>
  eventually(async () => {
    const { socket, status } = await connectVia(via(proxy), `127.0.0.1:${port}`)
    assert.strictEqual(status, 200)
    socket.write("x")
    await once(socket, "data")
    return socket
  })

layer(services, { excludeTestServices: true })("AbuseLookUp", (it) => {
  it.effect("names the one proxy of an exclusive address, and nobody before and after", () =>
    Effect.gen(function* () {
      const proxy = yield* open()
      const exit_ip = proxy.exit_ip ?? ""
      assert.strictEqual(exit_ip, "127.0.0.51")
      const found = yield* ask({ exit_ip })
      assert.strictEqual(found.verdict, "exact")
      assert.deepStrictEqual(
        found.candidates.map(({ order_id, proxy_id }) => [order_id, proxy_id]),
        [[proxy.reference, proxy.id]]
      )
      const now = yield* DateTime.now
      const before = yield* ask({ exit_ip, at: DateTime.subtract(now, { minutes: 5 }) })
      assert.deepStrictEqual([before.verdict, before.total], ["not_ours", 0])
      yield* GatewayProxies.use(({ close }) => close(proxy.id))
      const later = yield* ask({ exit_ip, at: DateTime.add(now, { minutes: 10 }) })
      assert.strictEqual(later.verdict, "not_ours")
      assert.strictEqual((yield* ask({ exit_ip })).verdict, "exact")
      assert.strictEqual((yield* ask({ exit_ip: "8.8.4.4" })).verdict, "not_ours")
    })
  )

  it.effect("tells proxies of a shared address apart by port, and by destination", () =>
    Effect.gen(function* () {
      const { echo } = yield* Origins
      const sql = yield* SqlClient.SqlClient
      const proxies = [
        yield* open({ kind: "mobile" }),
        yield* open({ kind: "mobile" }),
        yield* open({ kind: "mobile" })
      ]
      const byExit = Map.groupBy(proxies, ({ exit_ip }) => exit_ip)
      const [one, other] = [...byExit.values()].find(({ length }) => length === 2) ?? []
      assert.isDefined(one)
      assert.isDefined(other)
      const exit_ip = one.exit_ip ?? ""
      const both = yield* ask({ exit_ip })
      assert.deepStrictEqual([both.verdict, both.total], ["narrowed", 2])

      const socket = yield* leaving(one, echo)
      const logged = Effect.gen(function* () {
        const rows = yield* sql<{ exit_port: number; destination_mac: Uint8Array }>`
          SELECT exit_port, destination_mac FROM gateway_connection WHERE proxy_id = ${one.id} AND destination_port = ${echo}
        `
        return rows.length > 0 ? rows : yield* Effect.fail("not yet")
      }).pipe(Effect.retry(Schedule.spaced("100 millis").pipe(Schedule.upTo({ duration: "30 seconds" }))))
      const [row] = yield* logged
      const exit_port = row?.exit_port ?? 0
      assert.isAbove(exit_port, 0)

      const byPort = yield* ask({ exit_ip, exit_port })
      assert.deepStrictEqual([byPort.verdict, byPort.candidates[0]?.order_id], ["exact", one.reference])
      assert.strictEqual(byPort.candidates[0]?.connections[0]?.destination_port, echo)
      const byDestination = yield* ask({ exit_ip, destinations: ["127.0.0.1"] })
      assert.deepStrictEqual([byDestination.verdict, byDestination.candidates[0]?.order_id], ["exact", one.reference])
      // A static proxy at the same address may have used the same port; nobody records its connections.
      const fixed = randomUUID()
      yield* sql`
        INSERT INTO gateway_proxy (id, reference, kind, country_code, ip_version, protocol, port, logins, status, exit_ip,
          expires_at, created_at, updated_at)
        VALUES (${fixed}, gen_random_uuid(), 'datacenter', 'US', 'IPv4', 'HTTP', 1200, '[{"username": "u", "password": "p"}]',
          'open', ${exit_ip}::inet, now() + interval '1 day', now(), now())
      `
      const shared = yield* ask({ exit_ip, exit_port })
      assert.deepStrictEqual([shared.verdict, shared.total], ["narrowed", 2])
      assert.include(shared.because, "static")
      yield* sql`DELETE FROM gateway_exit_hold WHERE proxy_id = ${fixed}`
      const nobody = yield* ask({ exit_ip, exit_port, destinations: ["127.0.0.2"] })
      assert.deepStrictEqual([nobody.verdict, nobody.total], ["narrowed", 2])
      assert.notInclude(Buffer.from(row?.destination_mac ?? []).toString("latin1"), "127.0.0.1")

      yield* sql`UPDATE gateway_log_day SET dropped = 1`
      const unsure = yield* ask({ exit_ip, exit_port })
      assert.deepStrictEqual([unsure.verdict, unsure.total], ["narrowed", 1])
      assert.include(unsure.because, "lacks 1 connections")
      yield* sql`UPDATE gateway_log_day SET dropped = 0`

      const early = yield* ask({ exit_ip, exit_port, at: DateTime.subtract(yield* DateTime.now, { hours: 1 }) })
      assert.strictEqual(early.verdict, "not_ours")
      socket.destroy()
    })
  )

  it.effect("follows a rotation", () =>
    Effect.gen(function* () {
      const proxy = yield* open({ kind: "mobile" })
      const rotated = yield* GatewayProxies.use(({ rotate }) => rotate(proxy.id))
      assert.notStrictEqual(rotated.exit_ip, proxy.exit_ip)
      const sql = yield* SqlClient.SqlClient
      const holds = yield* sql<{ exit_ip: string; is_open: boolean }>`
        SELECT host(exit_ip) AS exit_ip, until_at IS NULL AS is_open FROM gateway_exit_hold
        WHERE proxy_id = ${proxy.id} ORDER BY from_at, is_open
      `
      assert.deepStrictEqual(holds, [
        { exit_ip: proxy.exit_ip ?? "", is_open: false },
        { exit_ip: rotated.exit_ip ?? "", is_open: true }
      ])
    })
  )

  it.effect("lists rotating proxies whose address at that time is not on record", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const proxy = yield* open({ kind: "mobile" })
      yield* GatewayProxies.use(({ rotate }) => rotate(proxy.id))
      yield* sql`DELETE FROM gateway_exit_hold WHERE proxy_id = ${proxy.id}`
      const { candidates, verdict } = yield* ask({ exit_ip: proxy.exit_ip ?? "" })
      assert.strictEqual(verdict, "narrowed")
      assert.include(
        candidates.map(({ proxy_id }) => proxy_id),
        proxy.id
      )
      yield* sql`
        INSERT INTO gateway_exit_hold (proxy_id, exit_ip, port, from_at)
        SELECT id, exit_ip, port, created_at FROM gateway_proxy WHERE id = ${proxy.id}
      `
    })
  )

  it.effect("takes a proxy whose connections leave from its whole pool for a holder of each address", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const proxy = yield* open({ kind: "mobile" })
      const [other = ""] = exits["us-mobile"].filter((ip) => ip !== proxy.exit_ip)
      const isAmong = (exit_ip: string) =>
        Effect.map(ask({ exit_ip }), ({ candidates }) => candidates.some(({ proxy_id }) => proxy_id === proxy.id))
      assert.isFalse(yield* isAmong(other))
      yield* sql`UPDATE gateway_proxy SET session_minutes = 10, session_minutes_most = 60 WHERE id = ${proxy.id}`
      assert.isTrue(yield* isAmong(other))
      assert.isFalse(yield* isAmong(exits["us-datacenter"][0] ?? ""))
    })
  )

  it.effect("asks for the machine's address when proxies leave from it", () =>
    Effect.gen(function* () {
      const proxy = yield* open({ kind: "residential" })
      assert.isNull(proxy.exit_ip)
      const unsure = yield* ask({ exit_ip: "8.8.4.4" })
      assert.strictEqual(unsure.verdict, "not_ours")
      assert.include(unsure.because, "--machine")
      const sure = yield* ask({ exit_ip: "8.8.4.4", isMachine: true })
      assert.deepStrictEqual([sure.verdict, sure.candidates[0]?.proxy_id], ["exact", proxy.id])
      const another = yield* open({ kind: "residential" })
      const { total, verdict } = yield* ask({ exit_ip: "8.8.4.4", isMachine: true, exit_port: 40_000 })
      assert.deepStrictEqual([verdict, total], ["narrowed", 2])
      assert.notStrictEqual(another.id, proxy.id)
    })
  )

  it.effect("answers at most 20 of 1,000 proxies", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        INSERT INTO gateway_proxy (id, reference, kind, country_code, ip_version, protocol, port, logins, status, exit_ip,
          signature, expires_at, created_at, updated_at)
        SELECT gen_random_uuid(), gen_random_uuid(), 'mobile', 'US', 'IPv4', 'HTTP', n,
          '[{"username": "u", "password": "p"}]', 'open', '192.0.2.9', 'android', now() + interval '1 hour', now(), now()
        FROM generate_series(1, 1100) n
      `
      const { candidates, total, verdict } = yield* ask({ exit_ip: "192.0.2.9" })
      assert.deepStrictEqual([verdict, total, candidates.length], ["narrowed", 1_000, 20])
    })
  )
})
