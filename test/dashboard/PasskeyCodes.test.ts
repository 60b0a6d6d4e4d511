import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { assertSafe } from "../support/Markup.ts"
import * as SoftAuthenticator from "../support/SoftAuthenticator.ts"
import * as TestApp from "../support/TestApp.ts"
import { faultsOf, placeOf } from "./DeskTesting.ts"
import { http, password } from "./PagesTesting.ts"
import { optionsOn, passkeysOf } from "./PasskeyTesting.ts"
import { guarded, wrongCode } from "./SecurityTesting.ts"

layer(TestApp.layer())("New passkeys of an account with a second factor", (it) => {
  it.effect("need a code too, because each of them stands for one", () =>
    Effect.gen(function* () {
      const { at, browser, code, codes, post, secret, user_id } = yield* guarded
      const fields = yield* at("security/passkeys/new")
      assert.isTrue(fields.forms.some(({ names }) => names.has("otp")))
      assertSafe(fields, http)
      const bare = yield* post("security/passkeys/new", { password })
      const wrong = yield* post("security/passkeys/new", { password, otp: yield* wrongCode(secret) })
      for (const page of [bare, wrong]) {
        assert.deepStrictEqual([page.status, Object.keys(faultsOf(page))], [403, ["otp"]])
        assert.notInclude(page.text, "data-passkey")
      }
      const otp = yield* code
      for (const given of [otp, codes[0] ?? ""]) {
        yield* at("security/passkeys/new")
        const page = yield* browser.submit({ password, otp: given })
        const done = yield* browser.submit({
          name: "Key",
          credential: SoftAuthenticator.make().create(optionsOn(page))
        })
        assert.strictEqual(placeOf(done), "security?outcome=passkey-added")
        assert.strictEqual((yield* post("security/passkeys/new", { password, otp: given })).status, 403, "used up")
      }
      assert.lengthOf(yield* passkeysOf(user_id), 2)
    })
  )
})
