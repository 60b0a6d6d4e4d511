import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Flags } from "../../src/flags/Flags.ts"
import { newKey, newPerson } from "../contract/ContractTesting.ts"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"

const path = "/v1/catalog?city=Berlin"
const statusFor = (options: Parameters<typeof request>[2]) =>
  Effect.map(request("GET", path, options), ({ status }) => status)

layer(TestApp.layer({ RATE_LIMIT_PER_MINUTE: "20" }), { excludeTestServices: true })(
  "A visitor of the catalog",
  (it) => {
    it.effect("with valid credentials has the flags of the account", () =>
      Effect.gen(function* () {
        const person = yield* newPerson
        const key = yield* newKey(person.session, ["orders:read"])
        yield* (yield* Flags).set("isp.city.enable", person.id, false)
        assert.strictEqual(yield* statusFor({ user: person.session }), 403)
        assert.strictEqual(yield* statusFor({ key }), 403)
        assert.strictEqual(yield* statusFor({}), 200)
        assert.strictEqual(yield* statusFor({ user: "no.token" }), 200)
        assert.strictEqual(yield* statusFor({ key: "prk_unknown" }), 200)
      })
    )

    it.effect("counts toward the rate limit of the account, or of the address without credentials", () =>
      Effect.gen(function* () {
        const person = yield* newPerson
        while ((yield* statusFor({ user: person.session })) !== 429);
        assert.strictEqual((yield* request("GET", "/v1/wallet", { user: person.session })).status, 429)
        assert.strictEqual(yield* statusFor({}), 200)
      })
    )
  }
)
