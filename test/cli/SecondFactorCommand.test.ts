import { NodeServices } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import { AccountLookUp } from "../../src/accounts/AccountLookUp.ts"
import { LostPasskeys } from "../../src/accounts/passkeys/LostPasskeys.ts"
import { SecondFactors } from "../../src/accounts/second-factor/SecondFactors.ts"
import { secondFactor } from "../../src/cli/SecondFactorCommand.ts"
import { layer as server, mailTo, newPerson, password } from "../accounts/AccountsServer.ts"
import { turnOn, verifyEmail } from "../accounts/second-factor/SecondFactorTesting.ts"
import { request } from "../support/TestServer.ts"
import { events, recording } from "./CommandEvents.ts"
import { runner } from "./CommandTesting.ts"

const run = runner(
  secondFactor(Layer.mergeAll(AccountLookUp.layer, LostPasskeys.layer, SecondFactors.layer, recording))
)

layer(Layer.merge(server(), NodeServices.layer))("second-factor", (it) => {
  it.effect("remove lets a person who lost the second factor sign in with the password, and mails that", () =>
    Effect.gen(function* () {
      // The clock of the tests starts in 1970, where there is no step before the first.
      yield* TestClock.adjust("1 hour")
      const { access_token, email, user } = yield* newPerson
      yield* verifyEmail(user.id)
      const login = Effect.map(request("POST", "/v1/auth/login", { body: { email, password } }), ({ status }) => status)
      const profile = Effect.map(request("GET", "/v1/users/me", { user: access_token }), ({ status }) => status)
      assert.strictEqual(yield* run(`remove ${email}`), `failed: ${email} has neither a second factor nor a passkey`)
      yield* turnOn(access_token, password)
      assert.strictEqual(yield* login, 401)
      assert.strictEqual(yield* profile, 200)
      assert.include(yield* run(`remove ${email}`), "signs in with the password alone, and is signed out everywhere")
      // The service hears of the end of the session from the database.
      yield* profile.pipe(
        Effect.repeat({ until: (status) => status === 401, schedule: Schedule.spaced("5 millis") }),
        TestClock.withLive
      )
      assert.strictEqual(yield* login, 200)
      const subjects = (yield* mailTo(email)).map(({ subject }) => subject)
      assert.strictEqual(subjects.at(-1), "Two-step sign-in is off")
      const sql = yield* SqlClient.SqlClient
      for (const name of ["My phone", "My key"])
        yield* sql`
          INSERT INTO passkey (id, user_id, name, credential_id, public_key, sign_count, is_synced, created_at)
          VALUES (gen_random_uuid(), ${user.id}, ${name}, ${randomUUID()}, 'AAAA', 0, false, ${new Date(0)})
        `
      assert.include(yield* run(`remove ${email}`), "signs in with the password alone")
      assert.isEmpty(yield* sql`SELECT FROM passkey WHERE user_id = ${user.id}`)
      assert.isEmpty(yield* sql`SELECT FROM user_session WHERE user_id = ${user.id}`)
      const [mail] = (yield* mailTo(email)).slice(-1)
      assert.strictEqual(mail?.subject, "A passkey was removed")
      assert.match(mail?.text ?? "", /My (phone, My key|key, My phone)/)
      assert.include(yield* run(`remove ${email}`), "has neither a second factor nor a passkey")
      assert.deepStrictEqual(
        (yield* events).map(({ action, user_id }) => [action, user_id]),
        [
          ["customer.help", user.id],
          ["customer.help", user.id]
        ]
      )
      assert.match(yield* run("remove nobody@example.com"), /^failed: .*nobody@example.com/)
      assert.include(yield* run("remove x"), "Expected the id or the email of an account, got x")
    })
  )
})
