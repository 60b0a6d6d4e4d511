import { assert, describe, it } from "@effect/vitest"
import { Cause } from "effect"
import { SqlError } from "effect/sql"
import * as Failure from "../../../src/platform/errors/Failure.ts"
import { ProviderUnavailable } from "../../../src/provider/ProviderErrors.ts"
import { GatewayFailed } from "../../../src/wallet/gateways/PaymentGateway.ts"

const away = new SqlError.SqlError({
  reason: new SqlError.ConnectionError({ cause: new Error("connect ECONNREFUSED\n 127.0.0.1:5432") })
})

describe("The log line of a cause", () => {
  it("names the reason of a failure in one line", () => {
    for (const [cause, why] of [
      [Cause.fail(new ProviderUnavailable({ provider: "iproyal", reason: "HTTP 500" })), "iproyal: HTTP 500"],
      [Cause.fail(new GatewayFailed({ reason: "Stripe answered HTTP 500" })), "Stripe answered HTTP 500"],
      [Cause.fail(away), "connect ECONNREFUSED 127.0.0.1:5432"],
      [Cause.die(away), "connect ECONNREFUSED 127.0.0.1:5432"],
      [Cause.fail(new Cause.TimeoutError()), "no answer in time"],
      [Cause.fail("no"), "no"],
      [Cause.fromReasons([...Cause.fail("one").reasons, ...Cause.fail("two").reasons]), "one; two"]
    ] as const)
      assert.deepStrictEqual(Failure.logLine("It failed", cause), [`It failed: ${why}`])
  })

  it("keeps the stack of a defect", () => {
    const cause = Cause.die(new TypeError("undefined is not a function"))
    assert.deepStrictEqual(Failure.logLine("It failed", cause), ["It failed", cause])
  })
})
