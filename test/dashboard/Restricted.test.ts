import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Restrictions } from "../../src/accounts/restrictions/Restrictions.ts"
import * as Browser from "../support/Browser.ts"
import { assertSafe } from "../support/Markup.ts"
import { lift, publicReason, restrict } from "../support/Restricting.ts"
import * as TestApp from "../support/TestApp.ts"
import { escaped, hostile, placeOf, signedIn, wordsOf } from "./DeskTesting.ts"
import { http, password } from "./PagesTesting.ts"

/** A try to sign in with a new browser. */
const signIn = Effect.fnUntraced(function* (email: string, given = password, language = "en") {
  const browser = yield* Browser.forServer(http)
  const headers = { "accept-language": language }
  yield* browser.open(`${http}/app/sign-in`, { headers })
  return yield* browser.submit({ email, password: given }, { headers })
})

const app = Layer.provideMerge(Restrictions.layer, TestApp.layer())

layer(app)("The pages of a restricted account", (it) => {
  it.effect("tell a banned person the reason after the right password, and only then", () =>
    Effect.gen(function* () {
      const { account, user_id, visit } = yield* signedIn
      const { id } = yield* restrict(user_id, "ban", { public_reason: `${publicReason} ${hostile}` })
      assert.match(placeOf(yield* visit("")), /^sign-in/)
      const wrong = yield* signIn(account.email, "another password")
      assert.notInclude(wordsOf(wrong), publicReason)
      const told = yield* signIn(account.email)
      assert.strictEqual(told.status, 401)
      assert.include(wordsOf(told), "Your account is suspended")
      assert.include(wordsOf(told), publicReason)
      assert.include(told.text, escaped)
      assert.notInclude(told.text, "Card testing")
      assertSafe(told, http)
      assert.include(wordsOf(yield* signIn(account.email, password, "de")), "Ihr Konto ist gesperrt")
      yield* lift(id)
      assert.strictEqual((yield* signIn(account.email)).status, 200)
    })
  )

  it.effect.each([
    ["hold", "Your account cannot buy at the moment"],
    ["suspend", "Your account is suspended"]
  ] as const)("tell a person of a %s the reason on the first page", ([preset, title]) =>
    Effect.gen(function* () {
      const { user_id, visit } = yield* signedIn
      assert.notInclude(wordsOf(yield* visit("")), title)
      const { id } = yield* restrict(user_id, preset)
      const page = yield* visit("")
      assert.include(wordsOf(page), title)
      assert.include(wordsOf(page), publicReason)
      assertSafe(page, http)
      yield* lift(id)
      assert.notInclude(wordsOf(yield* visit("")), title)
    })
  )
})
