import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import type { GatewayProxy } from "../../src/gateway/GatewayProxy.ts"
import { blockedBy, type Preset } from "../../src/accounts/restrictions/Restriction.ts"
import type { UserId } from "../../src/accounts/User.ts"
import * as Fixtures from "../support/Fixtures.ts"
import * as OrderRows from "../support/OrderRows.ts"
import { connectVia, drained, fetchPlain, socksVia } from "./ProxyClient.ts"
import { eventually, open, Origins, runningGateway, tunnelTo, via } from "./RunningGateway.ts"

/** Creates an account with an order for each proxy. */
const ownerOf = Effect.fnUntraced(function* (...proxies: ReadonlyArray<GatewayProxy>) {
  const sql = yield* SqlClient.SqlClient
  const user = yield* Fixtures.newUser
  yield* OrderRows.offer
  for (const { reference } of proxies) {
    const order = { ...OrderRows.paidOrder(reference, user, yield* DateTime.now), provider: "gateway" }
    yield* sql`INSERT INTO proxy_order ${sql.insert(order)}`
  }
  return user
})

/** Places a restriction as another process does: the gateway learns of it from the database. */
const restrict = Effect.fnUntraced(function* (user_id: UserId, preset: Preset) {
  const sql = yield* SqlClient.SqlClient
  const id = randomUUID()
  yield* sql`INSERT INTO account_restriction ${sql.insert({
    id,
    user_id,
    preset,
    ...blockedBy[preset],
    reason_code: "abuse",
    internal_reason: "A scan of ports",
    public_reason: "We got complaints.",
    source: "staff",
    placed_by: "ada",
    placed_at: new Date()
  })}`
  return id
})

const lift = (id: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      UPDATE account_restriction SET lifted_at = ${new Date()}, lifted_by = 'ada', lift_reason = 'Settled' WHERE id = ${id}
    `
  )

/** Opens tunnels, with bytes on the way in all of them. */
const tunnels = (proxy: GatewayProxy, port: number, count: number) =>
  Effect.forEach(Array.from({ length: count }), () => tunnelTo(proxy, port), { concurrency: 20 })

const ends = <A>(promises: ReadonlyArray<Promise<A>>) =>
  Effect.timeoutOrElse(
    Effect.promise(() => Promise.all(promises)),
    { duration: "1 minute", orElse: () => Effect.die(new Error("The connections go on")) }
  )

const suspended = /This proxy is suspended/

layer(runningGateway(), { excludeTestServices: true })("A suspended account", (it) => {
  it.effect("loses its 200 open connections within a second, and no other customer loses one", () =>
    Effect.gen(function* () {
      const { echo } = yield* Origins
      const proxies = [yield* open(), yield* open(), yield* open({ protocol: "SOCKS5" }), yield* open()]
      const other = yield* open()
      const gone = yield* ownerOf(...proxies)
      yield* ownerOf(other)
      const stay = yield* tunnels(other, echo, 20)
      const [first, second, socks, third] = proxies as [GatewayProxy, GatewayProxy, GatewayProxy, GatewayProxy]
      const held = [
        ...(yield* tunnels(first, echo, 60)),
        ...(yield* tunnels(second, echo, 60)),
        ...(yield* tunnels(third, echo, 40)),
        ...(yield* Effect.forEach(Array.from({ length: 40 }), () =>
          eventually(async () => {
            const answer = await socksVia(via(socks), "127.0.0.1", echo)
            if (answer._tag !== "Reply" || answer.code !== 0) throw new Error("no tunnel yet")
            return answer.socket
          })
        ))
      ]
      assert.lengthOf(held, 200)
      const closings = held.map(drained)
      yield* restrict(gone, "ban")
      const placed = Date.now()
      const closed = yield* ends(closings)
      assert.isBelow(Math.max(...closed.map(({ at }) => at)) - placed, 1_000)
      assert.deepStrictEqual(
        stay.filter((socket) => socket.destroyed),
        []
      )
      for (const socket of stay) {
        const answer = new Promise<string>((settle) => socket.once("data", (bytes: Buffer) => settle(String(bytes))))
        socket.write("still here")
        assert.strictEqual(yield* Effect.promise(() => answer), "still here")
        socket.destroy()
      }
    })
  )

  it.effect("gets its ports and connections back, with the same exit, when the last restriction is lifted", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { web } = yield* Origins
      const [http, socks] = [yield* open(), yield* open({ protocol: "SOCKS5" })]
      const user = yield* ownerOf(http, socks)
      const row = sql`SELECT port, host(exit_ip) AS exit, status FROM gateway_proxy WHERE id = ${http.id}`
      const before = yield* row
      const suspension = yield* restrict(user, "suspend")
      const ban = yield* restrict(user, "ban")
      const refused = yield* eventually(async () => {
        const answer = await fetchPlain(via(http), `http://127.0.0.1:${web}/`)
        assert.strictEqual(answer.status, 403)
        return answer
      })
      assert.match(refused.body, suspended)
      // Also to a stranger, so that the login of a stopped proxy cannot be guessed.
      const { port } = via(http)
      const stranger = yield* Effect.promise(() => fetchPlain({ port }, `http://127.0.0.1:${web}/`))
      assert.strictEqual(stranger.status, 403)
      const answer = yield* Effect.promise(() => socksVia(via(socks), "127.0.0.1", web))
      assert.strictEqual(answer._tag, "WrongLogin")
      assert.deepStrictEqual(yield* row, before)
      yield* lift(ban)
      assert.strictEqual((yield* Effect.promise(() => connectVia(via(http), `127.0.0.1:${web}`))).status, 403)
      yield* lift(suspension)
      yield* eventually(async () =>
        assert.strictEqual((await fetchPlain(via(http), `http://127.0.0.1:${web}/`)).status, 200)
      )
      assert.deepStrictEqual(yield* row, before)
    })
  )

  it.effect("loses no connection by a hold or a lock", () =>
    Effect.gen(function* () {
      const { echo } = yield* Origins
      const proxy = yield* open()
      const user = yield* ownerOf(proxy)
      const tunnel = yield* tunnelTo(proxy, echo)
      yield* restrict(user, "hold")
      const other = yield* open()
      // The gateway has read every earlier change when it serves a later proxy.
      const later = yield* tunnelTo(other, echo)
      assert.isFalse(tunnel.destroyed)
      for (const socket of [tunnel, later]) socket.destroy()
    })
  )

  it.effect("loses its connections within a second or two when the notification is lost", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { flood } = yield* Origins
      const proxy = yield* open()
      const user = yield* ownerOf(proxy)
      const tunnel = drained(yield* tunnelTo(proxy, flood))
      yield* sql`CREATE OR REPLACE FUNCTION wake_gateway_proxy(proxies uuid[]) RETURNS void LANGUAGE sql AS ''`
      yield* restrict(user, "suspend")
      yield* ends([tunnel])
    })
  )

  it.effect("has a proxy that was delivered meanwhile, which serves nobody", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const user = yield* ownerOf()
      yield* restrict(user, "suspend")
      const proxy = yield* open()
      const order = { ...OrderRows.paidOrder(proxy.reference, user, yield* DateTime.now), provider: "gateway" }
      yield* sql`INSERT INTO proxy_order ${sql.insert(order)}`
      yield* sql`UPDATE proxy_order SET ${sql.literal(OrderRows.handedOut)} WHERE id = ${proxy.reference}`
      const [row] = yield* sql<{ suspended: boolean }>`
        SELECT suspended_at IS NOT NULL AS suspended FROM gateway_proxy WHERE id = ${proxy.id}
      `
      assert.isTrue(row?.suspended)
    })
  )
})
