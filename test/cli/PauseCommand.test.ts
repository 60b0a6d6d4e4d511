import { NodeServices } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Catalog } from "../../src/catalog/Catalog.ts"
import { extend, pause, resume } from "../../src/cli/PauseCommand.ts"
import { providers } from "../../src/cli/ProvidersCommand.ts"
import * as CallDurations from "../../src/provider/CallDurations.ts"
import { CallCountsRepo } from "../../src/provider/CallCountsRepo.ts"
import { PauseDesk } from "../../src/staff/providers/PauseDesk.ts"
import { ProviderDesk } from "../../src/staff/providers/ProviderDesk.ts"
import * as OrderTesting from "../support/OrderTesting.ts"
import { runner } from "./CommandTesting.ts"

const desks = Layer.merge(Layer.effect(PauseDesk, PauseDesk), Layer.effect(ProviderDesk, ProviderDesk))
const services = Layer.mergeAll(PauseDesk.layer, ProviderDesk.layer, CallCountsRepo.layer).pipe(
  Layer.provideMerge(OrderTesting.layer)
)
const [runExtend, runPause, runResume, runProviders] = [
  runner(extend(Layer.effect(PauseDesk, PauseDesk))),
  runner(pause(Layer.effect(PauseDesk, PauseDesk))),
  runner(resume(Layer.effect(PauseDesk, PauseDesk))),
  runner(providers(desks))
]

layer(Layer.merge(services, NodeServices.layer))("pause and resume", (it) => {
  it.effect("stop a sale and resume it, as the user of the machine", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const catalog = yield* Catalog
      const available = Effect.andThen(catalog.refresh, catalog.offers({ is_available: true }))
      const before = (yield* available).length
      const paused = yield* runPause("kind mobile --reason Outage --hours 2")
      const [word, id, what] = paused.split("\t")
      assert.deepStrictEqual([word, what], ["paused", "kind mobile"])
      assert.include(paused, "by cli:")
      assert.strictEqual((yield* available).length, before - 1)
      assert.include(yield* runProviders("pauses"), "kind\tmobile\tuntil ")
      assert.include(yield* runPause("kind mobile --reason Outage"), "failed: This is paused already")
      assert.include(
        yield* runExtend("kind mobile --reason Longer --hours 3"),
        `extended\t${id}\tkind mobile\tuntil 1970-01-01T05:00`
      )
      assert.include(yield* runExtend("all --reason Longer"), "failed: There is no pause of all")
      assert.include(yield* runResume("kind mobile --reason Back"), `resumed\t${id}\tkind mobile`)
      assert.strictEqual((yield* available).length, before)
      assert.include(yield* runResume("kind mobile --reason Back"), "failed: There is no pause of kind mobile")
      assert.strictEqual(yield* runProviders("pauses"), "Nothing is paused")
      const events = yield* sql`SELECT actor_kind FROM audit_event WHERE action = 'provider.pause'`
      assert.deepStrictEqual(events, [{ actor_kind: "cli" }, { actor_kind: "cli" }, { actor_kind: "cli" }])

      assert.include(yield* runPause("all --reason Outage"), "paused")
      assert.strictEqual((yield* available).length, 0)
      assert.include(yield* runResume("all --reason Back"), "resumed")
      for (const wrong of ["all mobile --reason Outage", "provider nobody --reason Outage"])
        assert.include(yield* runPause(wrong), "failed: There is no such provider")
      assert.include(yield* runPause("kind mobile --reason Outage --hours 0"), "failed: ")
    })
  )

  it.effect("print how the providers do, and their stock", () =>
    Effect.gen(function* () {
      const [{ provider }] = (yield* SqlClient.SqlClient.use(
        (sql) => sql<{ provider: string }>`SELECT DISTINCT provider FROM offer WHERE listed`
      )) as [{ provider: string }]
      const durations = CallDurations.none()
      durations[CallDurations.stepOf(45)] = 4
      const calls = { provider, operation: "get", calls: 4, refused: 0, failed: 4, durations, failure: "HTTP 500" }
      yield* CallCountsRepo.use(({ add }) => Effect.flatMap(DateTime.now, (now) => add([calls], now)))
      const [head = "", get] = (yield* runProviders("list")).split("\n")
      assert.strictEqual(head, `${provider}\tfailing\t3 on sale, 3 in stock, 0 paused\tno balance`)
      assert.strictEqual(get, "  get\t4 calls\t4 failed\t0 refused\tp50 50 ms\tp95 50 ms\tHTTP 500")
      const offers = (yield* runProviders(`offers ${provider}`)).split("\n")
      assert.lengthOf(offers, 3)
      for (const line of offers) assert.match(line, /^\d+\t.+\tin stock\t$/)
      assert.include(yield* runProviders("offers nobody"), "failed: There is no such provider")
    })
  )
})
