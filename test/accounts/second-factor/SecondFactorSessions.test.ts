import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { isSignedIn, layer as server, mailTo, password } from "../AccountsServer.ts"
import { person } from "./SecondFactorPerson.ts"
import { codeOf, turnOn } from "./SecondFactorTesting.ts"

layer(server())("A change of the second factor", (it) => {
  it.effect("signs all other sessions out with each change, and says so by mail", () =>
    Effect.gen(function* () {
      const { call, email, login, user } = yield* person
      const before = yield* login()
      yield* mailTo(email)
      const { secret } = yield* turnOn(user, password)
      assert.deepStrictEqual([yield* isSignedIn(before.user), yield* isSignedIn(user)], [false, true])
      const changes = [
        ["POST", "/recovery-codes", 200],
        ["DELETE", "", 204]
      ] as const
      for (const [method, at, status] of changes) {
        yield* TestClock.adjust("30 seconds")
        const other = yield* login({ otp: yield* codeOf(secret) })
        assert.isTrue(yield* isSignedIn(other.user))
        const wrong = yield* call(method, at, { password, otp: "abcd-efgh-ijkl-mnop" })
        assert.deepStrictEqual([wrong.status, yield* isSignedIn(other.user)], [403, true])
        yield* TestClock.adjust("30 seconds")
        assert.strictEqual((yield* call(method, at, { password, otp: yield* codeOf(secret) })).status, status)
        assert.deepStrictEqual([yield* isSignedIn(other.user), yield* isSignedIn(user)], [false, true], at)
      }
      const [on, off] = (yield* mailTo(email)).filter(({ subject }) => subject.startsWith("Two-step sign-in"))
      for (const mail of [on, off]) assert.include(mail?.text ?? "", "ll other devices were signed out.")
    })
  )
})
