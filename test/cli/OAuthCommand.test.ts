import { NodeServices } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { AccountLookUp } from "../../src/accounts/AccountLookUp.ts"
import { oauth } from "../../src/cli/OAuthCommand.ts"
import type { OAuthEvent } from "../../src/oauth/OAuthEvent.ts"
import { OAuthEvents } from "../../src/oauth/OAuthEvents.ts"
import { OAuthEventsRepo } from "../../src/oauth/OAuthEventsRepo.ts"
import * as Fixtures from "../support/Fixtures.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { runner } from "./CommandTesting.ts"

const run = runner(oauth(Layer.merge(AccountLookUp.layer, OAuthEvents.layer)))
const domain = Layer.merge(OAuthEventsRepo.layer, NodeServices.layer).pipe(Layer.provideMerge(TestDatabase.layer))

layer(domain)("oauth events", (it) => {
  it.effect("lists events newest first, by account or by app, also for a deleted account", () =>
    Effect.gen(function* () {
      const repo = yield* OAuthEventsRepo
      const user_id = yield* Fixtures.newUser
      const gone = randomUUID() as typeof user_id
      const event: OAuthEvent = {
        occurred_at: yield* DateTime.now,
        kind: "approved",
        user_id,
        client_id: "dcr_1",
        connection_id: randomUUID(),
        scopes: ["catalog:read", "orders:write"],
        reason: null,
        client_address: "192.0.2.1"
      }
      const { connection_id } = event
      assert.strictEqual(yield* run("events"), "No events")
      yield* repo.record(event)
      yield* repo.record({ ...event, kind: "revoked", user_id: gone, reason: "account_deleted", client_address: null })
      yield* repo.record({ ...event, kind: "declined", client_id: "dcr_2", connection_id: null, scopes: null })
      const time = "1970-01-01T00:00:00.000Z"
      const email = `${user_id}@example.com`
      const declined = `${time}\tdeclined\t${email}\tdcr_2\t\t\t\t192.0.2.1`
      const revoked = `${time}\trevoked\t${gone}\tdcr_1\t${connection_id}\tcatalog:read orders:write\taccount_deleted\t`
      const approved = `${time}\tapproved\t${email}\tdcr_1\t${connection_id}\tcatalog:read orders:write\t\t192.0.2.1`
      for (const [line, expected] of [
        ["events", [declined, revoked, approved]],
        ["events --limit 1", [declined]],
        ["events --client dcr_1", [revoked, approved]],
        [`events --user ${email.toUpperCase()}`, [declined, approved]],
        [`events --user ${gone}`, [revoked]],
        [`events --user ${user_id} --client dcr_1`, [approved]],
        ["events --client dcr_3", ["No events"]]
      ] as const)
        assert.deepStrictEqual((yield* run(line)).split("\n"), [...expected], line)
    })
  )

  it.effect("refuses an email without an account, and a malformed limit", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* run("events --user nobody@example.com"),
        "failed: There is no account nobody@example.com"
      )
      assert.include(yield* run("events --user bob"), "Expected the id or the email of an account, got bob")
      assert.include(yield* run("events --limit 0"), "failed: ")
    })
  )
})
