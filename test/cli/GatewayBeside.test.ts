import { assert, layer } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Logger } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import * as GatewayBeside from "../../src/cli/GatewayBeside.ts"
import { eventually } from "../support/RunningService.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { future, gatewayProxy } from "./ReconcilePlants.ts"

/** Runs what belongs beside a service until the scope closes; answers its log. */
const beside = Effect.fnUntraced(function* (PROVIDERS: string, { isHere = true } = {}) {
  const lines: Array<string> = []
  const kept = Logger.make<unknown, void>(({ message }) => void lines.push([message].flat().join(" ")))
  // A gateway that starts waits for this database.
  const settings = { PROVIDERS, GATEWAY_DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" }
  yield* GatewayBeside.layerIf(isHere).pipe(
    Effect.flatMap(Layer.build),
    Effect.provide([Logger.layer([kept]), ConfigProvider.layer(ConfigProvider.fromEnvRecord(settings))])
  )
  return lines
})

const runs = (lines: ReadonlyArray<string>) =>
  eventually(
    "the gateway runs",
    Effect.suspend(() =>
      lines.some((line) => line.startsWith("The gateway runs as process")) ? Effect.void : Effect.fail("not yet")
    )
  )

const preparing = "GATEWAY_DATABASE_URL: the database has no role nobody; create it (docs/gateway.md)"

layer(TestDatabase.layer, { excludeTestServices: true })("The gateway beside a service", (it) => {
  it.effect("runs when PROVIDERS names it", () =>
    Effect.gen(function* () {
      yield* runs(yield* beside("iproyal,gateway"))
      assert.deepStrictEqual(yield* beside("gateway", { isHere: false }), [preparing])
    })
  )

  it.effect("does not run when PROVIDERS names only vendors, until a customer has a proxy of it", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* beside("iproyal"), [])
      assert.deepStrictEqual(yield* beside("iproyal", { isHere: false }), [])
      const sql = yield* SqlClient.SqlClient
      yield* sql.unsafe(gatewayProxy(randomUUID(), randomUUID(), `'open', ${future}, now(), now()`))
      const lines = yield* beside("iproyal")
      assert.include(lines, preparing)
      yield* runs(lines)
    })
  )
})
