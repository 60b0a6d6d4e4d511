import { assert, layer } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { GatewayProxies } from "../../../src/gateway/GatewayProxies.ts"
import type { GatewayProxy } from "../../../src/gateway/GatewayProxy.ts"
import { connectVia, fetchPlain, socksVia } from "../ProxyClient.ts"
import { eventually, open, Origins, runningGateway, tunnelTo, via } from "../RunningGateway.ts"

const refusalsOf = ({ id }: GatewayProxy) => GatewayProxies.use(({ refusals }) => refusals(id))

/** Waits until the database has as many refusals of a proxy. */
const counted = (proxy: GatewayProxy, count: number) =>
  refusalsOf(proxy).pipe(
    Effect.filterOrFail((rows) => rows.reduce((sum, row) => sum + row.count, 0) >= count),
    Effect.retry(Schedule.spaced("100 millis").pipe(Schedule.upTo({ duration: "60 seconds" }))),
    Effect.map((rows) => rows.map(({ count, host, port, reason, source_ip }) => [reason, source_ip, host, port, count]))
  )

const here = "127.0.0.1"

layer(runningGateway(), { excludeTestServices: true })("The refusals of a gateway", (it) => {
  it.effect("are counted with their reason, and with the client or the destination that is the reason", () =>
    Effect.gen(function* () {
      const { echo, flood } = yield* Origins
      const proxy = yield* open()
      ;(yield* tunnelTo(proxy, echo)).destroy()
      const wrong = { ...via(proxy), login: { username: "x", password: "y" } }
      yield* Effect.promise(async () => {
        for (let count = 0; count < 3; count++) await connectVia(wrong, `${here}:${echo}`)
        await connectVia({ port: proxy.port }, `${here}:${echo}`)
        await connectVia(via(proxy), "10.0.0.1:443")
        await connectVia(via(proxy), "10.0.0.1:443")
        await fetchPlain(via(proxy), "http://[::1]:81/")
        await fetchPlain(via(proxy), "http://no-such-name.invalid/")
        await connectVia(via(proxy), "8.8.8.8:25")
        await connectVia(via(proxy), `bad_host!:80`)
        await fetchPlain(via(proxy), "/", { headers: { Host: "x" } })
        await fetchPlain(via(proxy), `http://${here}:${flood}/`)
        await socksVia(via(proxy), here, echo)
      })
      assert.sameDeepMembers(yield* counted(proxy, 13), [
        ["bad_answer", null, here, flood, 1],
        ["bad_request", null, null, null, 2],
        ["name_not_found", null, "no-such-name.invalid", 80, 1],
        ["no_credentials", here, null, null, 1],
        ["not_public", null, "10.0.0.1", 443, 2],
        ["not_public", null, "::1", 81, 1],
        ["port_closed", null, "8.8.8.8", 25, 1],
        ["wrong_credentials", here, null, null, 3],
        ["wrong_protocol", here, null, null, 1]
      ])
    })
  )

  it.effect("are counted at SOCKS5 proxies, and with a whitelist", () =>
    Effect.gen(function* () {
      const { echo } = yield* Origins
      const proxy = yield* open({ protocol: "SOCKS5", kind: "residential" })
      yield* eventually(() => socksVia(via(proxy), here, echo))
      const attempts = async () => {
        await socksVia({ port: proxy.port, login: { username: "x", password: "y" } }, here, echo)
        await socksVia(via(proxy), "192.168.0.1", 80)
      }
      yield* Effect.promise(attempts)
      yield* GatewayProxies.use(({ setUsers }) => setUsers(proxy.id, { whitelist: ["192.0.2.1"] }))
      yield* eventually(async () => {
        const answer = await socksVia(via(proxy), here, echo)
        assert.strictEqual(answer._tag, "WrongLogin")
      })
      const rows = yield* counted(proxy, 3)
      assert.deepInclude(rows, ["wrong_credentials", here, null, null, 1])
      assert.deepInclude(rows, ["not_public", null, "192.168.0.1", 80, 1])
      assert.deepInclude(
        rows.map((row) => row.slice(0, 2)),
        ["not_whitelisted", here]
      )
    })
  )

  it.effect("are bounded in the database, and clients never push out the others", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const proxy = yield* open({ kind: "mobile" })
      const write = (source: boolean, first: number) => sql`
        INSERT INTO gateway_refusal (proxy_id, day, reason, source, host, port, count, first_at, last_at)
        SELECT ${proxy.id}, '2027-01-31', 'timeout', CASE WHEN ${source} THEN '192.0.2.0'::inet + n END,
          CASE WHEN NOT ${source} THEN 'host' || n END, CASE WHEN NOT ${source} THEN 80 END, 1, at, at
        FROM generate_series(${first}::int, ${first + 59}::int) n, LATERAL (
          SELECT '2027-01-31T00:00:00Z'::timestamptz + n * interval '1 second' AS at
        ) t
      `
      yield* write(false, 0)
      yield* write(true, 100)
      yield* write(true, 160)
      const rows = yield* refusalsOf(proxy)
      assert.lengthOf(rows, 100)
      const of = (isClient: boolean) => rows.filter(({ source_ip }) => (source_ip !== null) === isClient)
      assert.lengthOf(of(true), 50)
      assert.strictEqual(of(true)[0]?.source_ip, "192.0.2.219")
      assert.deepStrictEqual([of(false)[0]?.host, of(false)[49]?.host], ["host59", "host10"])
      const both = sql`
        INSERT INTO gateway_refusal (proxy_id, day, reason, source, host, port, count, first_at, last_at)
        VALUES (${proxy.id}, '2027-01-31', 'timeout', '192.0.2.1', 'x', 1, 1, now(), now())
      `
      assert.match(String((yield* Effect.flip(both)).reason.cause), /gateway_refusal_check/)
    })
  )
})
