import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Logger, References } from "effect"
import { loggedUrl } from "../../src/platform/requests/LoggedUrl.ts"
import * as Secrets from "../../src/platform/Secrets.ts"
import * as MockedApp from "../support/MockedApp.ts"
import { request } from "../support/TestServer.ts"

const lines: Array<string> = []
const captured = Layer.mergeAll(
  Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))]),
  Layer.succeed(References.MinimumLogLevel, "Debug")
)

layer(MockedApp.layer().pipe(Layer.provide(captured)))("The log of requests", (it) => {
  it.effect("has no secret of a link", () =>
    Effect.gen(function* () {
      const secret = yield* Secrets.make("")
      for (const path of [`/v1/downloads/prd_${secret}`, `/nowhere?unlock=${secret}&next=%2Fapp`, `/nowhere/${secret}`])
        yield* request("GET", path)
      assert.isTrue(lines.some((line) => line.includes("/v1/downloads/...")))
      assert.isTrue(lines.some((line) => line.includes("/nowhere?unlock=...&next=%2Fapp")))
      for (const line of lines) assert.notInclude(line, secret)
    })
  )

  it.effect("has the ids, and other texts that are long", () =>
    Effect.sync(() => {
      for (const url of [`/v1/orders/${crypto.randomUUID()}?limit=50`, `/v1/catalog?city=${"x".repeat(60)}`])
        assert.strictEqual(loggedUrl(url), url)
    })
  )
})
