import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { ConfigProvider, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { once } from "node:events"
import * as Gateway from "../../../src/gateway/process/Gateway.ts"
import { GatewayProxies } from "../../../src/gateway/GatewayProxies.ts"
import { connectVia, drained, fetchPlain } from "../ProxyClient.ts"
import { eventually, expiresIn, open, Origins, runningGateway, tunnelTo, usageReaches, via } from "../RunningGateway.ts"

layer(runningGateway(), { excludeTestServices: true })("Gateway", (it) => {
  it.effect("serves a proxy when it is notified, and records its traffic", () =>
    Effect.gen(function* () {
      const { web } = yield* Origins
      const proxy = yield* open()
      const answer = yield* eventually(() => fetchPlain(via(proxy), `http://127.0.0.1:${web}/bytes/50000`))
      assert.strictEqual(answer.status, 200)
      const total = yield* usageReaches(proxy, 50_000)
      assert.isBelow(total, 50_500)
      assert.strictEqual(Number((yield* GatewayProxies.use(({ get }) => get(proxy.id))).used_bytes), total)
    })
  )

  it.effect("serves a proxy within a second or two, and ends it, when the notifications are lost", () =>
    Effect.gen(function* () {
      const { flood } = yield* Origins
      const sql = yield* SqlClient.SqlClient
      yield* sql`ALTER FUNCTION wake_gateway_proxy RENAME TO lost_gateway_proxy`
      const proxy = yield* open()
      const end = drained(yield* tunnelTo(proxy, flood))
      yield* GatewayProxies.use(({ close }) => close(proxy.id))
      yield* Effect.promise(() => end)
      yield* sql`ALTER FUNCTION lost_gateway_proxy RENAME TO wake_gateway_proxy`
    })
  )

  it.effect("ends every tunnel of a proxy when it is notified that the proxy is closed", () =>
    Effect.gen(function* () {
      const { flood } = yield* Origins
      const proxy = yield* open({ limit_bytes: 100_000_000_000n })
      const ends = [drained(yield* tunnelTo(proxy, flood)), drained(yield* tunnelTo(proxy, flood))]
      yield* GatewayProxies.use(({ close }) => close(proxy.id))
      yield* Effect.promise(() => Promise.all(ends))
      const code = yield* Effect.promise(() =>
        connectVia(via(proxy), `127.0.0.1:${flood}`).catch((error: NodeJS.ErrnoException) => error.code)
      )
      assert.match(String(code), /^ECONN(REFUSED|RESET)$/)
    })
  )

  it.effect("serves a proxy immediately on the port of a proxy that was just closed", () =>
    Effect.gen(function* () {
      const { web } = yield* Origins
      const sql = yield* SqlClient.SqlClient
      const first = yield* open()
      yield* eventually(() => fetchPlain(via(first), `http://127.0.0.1:${web}/`))
      const second = yield* Effect.gen(function* () {
        yield* GatewayProxies.use(({ close }) => close(first.id))
        const { id } = yield* open()
        yield* sql`UPDATE gateway_proxy SET port = ${first.port} WHERE id = ${id}`
        return yield* GatewayProxies.use(({ get }) => get(id))
      }).pipe(sql.withTransaction)
      yield* eventually(async () =>
        assert.strictEqual((await fetchPlain(via(second), `http://127.0.0.1:${web}/`)).status, 200)
      )
    })
  )

  it.effect("ends a proxy automatically when it expires", () =>
    Effect.gen(function* () {
      const { flood } = yield* Origins
      const proxy = yield* open()
      const end = drained(yield* tunnelTo(proxy, flood))
      const expires_at = yield* expiresIn(proxy, 1_000)
      const { at } = yield* Effect.promise(() => end)
      assert.isAtLeast(at, DateTime.toEpochMillis(expires_at) - 50)
    })
  )

  it.effect("applies changed access within a second or two when its notification is lost", () =>
    Effect.gen(function* () {
      const { echo } = yield* Origins
      const sql = yield* SqlClient.SqlClient
      const proxy = yield* open()
      const end = drained(yield* tunnelTo(proxy, echo))
      yield* sql`UPDATE gateway_proxy SET whitelist = '{8.8.8.8}' WHERE id = ${proxy.id}`
      yield* Effect.promise(() => end)
      const { status } = yield* Effect.promise(() => connectVia(via(proxy), `127.0.0.1:${echo}`))
      assert.strictEqual(status, 403)
    })
  )

  it.effect("serves the known proxies while the database is unreachable, and catches up afterwards", () =>
    Effect.gen(function* () {
      const { echo, web } = yield* Origins
      const sql = yield* PgClient.PgClient
      const proxy = yield* open({ limit_bytes: 1_000_000_000n })
      const socket = yield* tunnelTo(proxy, echo)
      const say = (text: string) =>
        Effect.promise(async () => {
          socket.write(text)
          assert.strictEqual(String((await once(socket, "data"))[0]), text)
        })
      yield* say("before")
      yield* sql`
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()
      `
      yield* say("during")
      const second = yield* open().pipe(Effect.retry({ times: 3 }), Effect.sandbox, Effect.orDie)
      yield* eventually(() => fetchPlain(via(second), `http://127.0.0.1:${web}/`))
      yield* usageReaches(proxy, 24)
      yield* say("after")
      socket.destroy()
    })
  )

  it.effect("shares one traffic limit with a second gateway, exact to the byte", () =>
    Effect.gen(function* () {
      const { env, flood } = yield* Origins
      const limit = 20_000_000
      const proxy = yield* open({ limit_bytes: BigInt(limit), kind: "residential" })
      const elsewhere = ConfigProvider.layer(ConfigProvider.fromEnvRecord({ ...env, GATEWAY_HOST: "127.0.0.2" }))
      yield* Layer.build(Layer.fresh(Gateway.layer).pipe(Layer.provide(elsewhere)))
      const sockets = yield* Effect.forEach(["127.0.0.1", "127.0.0.2"], (host) => tunnelTo(proxy, flood, host), {
        concurrency: 2
      })
      const received = yield* Effect.promise(() => Promise.all(sockets.map(drained)))
      assert.strictEqual(
        received.reduce((sum, { bytes }) => sum + bytes, 0),
        limit
      )
      for (const { bytes } of received) assert.isAbove(bytes, 0)
      yield* usageReaches(proxy, limit)
      const { leased_bytes, used_bytes } = yield* GatewayProxies.use(({ get }) => get(proxy.id))
      assert.deepStrictEqual([used_bytes, leased_bytes], [BigInt(limit), 0n])
      const { status } = yield* Effect.promise(() => connectVia(via(proxy), `127.0.0.1:${flood}`))
      assert.strictEqual(status, 402)
    })
  )

  it.effect("returns its leases when it stops", () =>
    Effect.gen(function* () {
      const { env, flood } = yield* Origins
      const proxy = yield* open({ limit_bytes: 1_000_000_000n })
      const elsewhere = ConfigProvider.layer(ConfigProvider.fromEnvRecord({ ...env, GATEWAY_HOST: "127.0.0.3" }))
      const received = yield* Effect.gen(function* () {
        yield* Layer.build(Layer.fresh(Gateway.layer).pipe(Layer.provide(elsewhere)))
        const socket = yield* tunnelTo(proxy, flood, "127.0.0.3")
        const end = drained(socket)
        yield* Effect.promise(() => once(socket, "data"))
        return { end }
      }).pipe(Effect.scoped)
      const { bytes } = yield* Effect.promise(() => received.end)
      assert.isAbove(bytes, 0)
      const { leased_bytes, used_bytes } = yield* GatewayProxies.use(({ get }) => get(proxy.id))
      assert.strictEqual(leased_bytes, 0n)
      assert.isAtLeast(Number(used_bytes), bytes)
    })
  )
})
