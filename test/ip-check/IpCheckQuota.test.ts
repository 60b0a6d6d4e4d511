import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { UserId } from "../../src/accounts/User.ts"
import { IpCheckQuota } from "../../src/ip-check/IpCheckQuota.ts"
import { IpChecksRepo } from "../../src/ip-check/IpChecksRepo.ts"
import { Orders } from "../../src/orders/Orders.ts"

/** The quota of an account with these order counts and used free checks. */
const quota = ({ active = 0, expired = 0, expiring = 0, total = 0, used = 0 }, env: Record<string, string> = {}) => {
  const mocks = Layer.mergeAll(
    Layer.mock(Orders)({ counts: () => Effect.succeed({ active, expiring, expired, total }) }),
    Layer.mock(IpChecksRepo)({ freeChecks: () => Effect.succeed({ used, ungranted: 0 }) }),
    ConfigProvider.layer(ConfigProvider.fromEnvRecord(env))
  )
  const layer = IpCheckQuota.layerNoDeps.pipe(Layer.provide(mocks))
  return Effect.provide(
    IpCheckQuota.use((service) => service.of(UserId.make(randomUUID()))),
    layer
  )
}

describe("The quota of free checks", () => {
  it.effect("grants one check per delivered order, also for expired ones", () =>
    Effect.gen(function* () {
      const delivered = yield* quota({ active: 3, expiring: 2, expired: 1, total: 10, used: 4 })
      assert.deepInclude(delivered, { entitled: 6, used: 4, free_available: 2 })
    })
  )

  it.effect("is never below zero", () =>
    Effect.gen(function* () {
      assert.deepInclude(yield* quota({ active: 1, used: 3 }), { entitled: 1, used: 3, free_available: 0 })
    })
  )

  it.effect.each([
    [undefined, 50_000n],
    ["0.000001", 1n],
    ["0.1", 100_000n],
    ["1000", 1_000_000_000n]
  ] as const)("the price is IP_CHECK_PRICE_USD: %s", ([text, price]) =>
    Effect.gen(function* () {
      const env = text === undefined ? {} : { IP_CHECK_PRICE_USD: text }
      assert.strictEqual((yield* quota({}, env)).price, price)
    })
  )

  it.effect.each(["0", "-1", "free", "0.0000001", "1000.000001", "1e2", "0,05"])(
    "stops the start with a line that names the variable when the price is invalid: %s",
    (text) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(quota({}, { IP_CHECK_PRICE_USD: text }))
        assert.include(String(error), "IP_CHECK_PRICE_USD must be a decimal amount of dollars from 0.000001 to 1000")
      })
  )
})
