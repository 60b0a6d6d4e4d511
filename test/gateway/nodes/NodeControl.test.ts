import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, layer } from "@effect/vitest"
import { ConfigProvider, Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import * as ControlDatabase from "../../../src/gateway/control/ControlDatabase.ts"
import { GatewayProxyId } from "../../../src/gateway/GatewayProxy.ts"
import { NodeControl } from "../../../src/gateway/NodeControl.ts"
import { Nodes } from "../../../src/gateway/nodes/Nodes.ts"
import * as ControlRemote from "../../../src/gateway/remote/ControlRemote.ts"
import { add, directory, sell, services, startCentre, until } from "./NodeTesting.ts"

/** The control of a node out of the database. */
const byDatabase = Effect.fnUntraced(function* (name: string) {
  yield* add(name)
  const { id } = yield* Nodes.use(({ find }) => find(name))
  const of = yield* ControlDatabase.make.pipe(Effect.provide(ControlDatabase.repositories))
  return of(id)
})

/** The same over the connection to the centre. */
const byConnection = Effect.fnUntraced(function* (name: string) {
  yield* startCentre
  const join = Option.some(yield* add(name))
  const env = ConfigProvider.layer(ConfigProvider.fromEnvRecord({ DATA_DIR: yield* directory }))
  const control = ControlRemote.layer({ name, join }).pipe(Layer.provide([NodeHttpClient.layerNodeHttp, env]))
  return Context.get(yield* Layer.build(Layer.fresh(control)), NodeControl)
})

layer(services, { excludeTestServices: true, timeout: "2 minutes" })("NodeControl", (it) => {
  for (const [adapter, make] of [
    ["ControlDatabase", byDatabase],
    ["ControlRemote", byConnection]
  ] as const) {
    const name = adapter.toLowerCase()

    it.effect(`${adapter} shows only the proxies of its node, and books each report once`, () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { proxies, traffic } = yield* make(name)
        yield* add(`other-${name}`)
        const foreign = yield* sell(`other-${name}`, { port: 42_001 })
        const id = yield* sell(name, { port: 42_001, limit: 1_000_000 })
        const listed = Effect.map(proxies.revisions, (rows) => rows.map((row) => row.id as string))
        yield* until(Effect.map(listed, (ids) => ids.includes(id)))
        assert.deepStrictEqual(yield* listed, [id])
        const [proxy] = yield* proxies.byIds([GatewayProxyId.make(id), GatewayProxyId.make(foreign)])
        assert.deepStrictEqual(
          [proxy?.id, proxy?.port, proxy?.limit_bytes],
          [GatewayProxyId.make(id), 42_001, 1_000_000n]
        )

        const epoch = randomUUID()
        yield* traffic.register(epoch)
        const hour_seconds = Math.floor(Date.now() / 3_600_000) * 3_600
        const say = (number: number, bytes: number, total: number) =>
          traffic.report(epoch, number, [
            { proxy_id: id, cycle: 1, hours: [{ hour_seconds, cycle: 1, bytes }], bytes, total, hold: true },
            { proxy_id: foreign, cycle: 1, hours: [{ hour_seconds, cycle: 1, bytes }], bytes, total, hold: true }
          ])
        yield* traffic.report(epoch, 1, [{ proxy_id: id, cycle: 1, hours: [], bytes: 0, total: 0, hold: true }])
        const first = yield* say(2, 1_000, 1_000)
        const again = yield* say(2, 1_000, 1_000)
        assert.strictEqual(first._tag, "Booked")
        assert.deepStrictEqual(again, first)
        const usage = yield* sql<{ proxy_id: string; bytes: bigint }>`
          SELECT proxy_id, bytes FROM gateway_usage WHERE proxy_id IN (${id}, ${foreign})
        `
        assert.deepStrictEqual(
          usage.map(({ bytes, proxy_id }) => [proxy_id, Number(bytes)]),
          [[id, 1_000]]
        )

        yield* sql`UPDATE gateway_proxy SET status = 'closed', updated_at = now() WHERE id = ${id}`
        yield* until(Effect.map(listed, ({ length }) => length === 0))
      })
    )

    it.effect(`${adapter} tells the rules about destinations, and only when they have changed`, () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { rules } = yield* make(`rules-${name}`)
        const known = yield* rules(undefined)
        assert.isNull((yield* rules(known.version)).rules)
        yield* sql`
          INSERT INTO destination_rule (id, scope, action, host_suffix, reason, placed_by, placed_at)
          VALUES (${randomUUID()}, 'platform', 'deny', ${`${name}.example`}, 'test', 'test', now())
        `
        yield* until(
          Effect.map(rules(known.version), ({ rules }) =>
            (rules ?? []).some(({ host_suffix }) => host_suffix === `${name}.example`)
          )
        )
      })
    )
  }
})
