import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import * as Fixtures from "../support/Fixtures.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { record } from "./WebhooksTesting.ts"

const delivery = "UPDATE webhook_delivery SET"
const event = "UPDATE webhook_event SET"

layer(TestDatabase.layer)("The tables of webhooks", (it) => {
  it.effect.each([
    ["a preview of another secret", "UPDATE webhook_endpoint SET secret_preview = 'whsec_...'"],
    ["an old secret without an end", "UPDATE webhook_endpoint SET previous_secret = 'whsec_' || repeat('0', 64)"],
    [
      "the secret itself as an old one",
      "UPDATE webhook_endpoint SET previous_secret = signing_secret, previous_secret_ends_at = created_at"
    ],
    ["a protocol that proxies do not speak", `${event} protocol = 'FTP'`],
    ["a status that proxies do not have", `${event} status = 'lost'`],
    ["a previous status that proxies do not have", `${event} previous_status = 'lost'`],
    ["an event of a proxy that had no status before", `${event} previous_status = NULL`],
    ["a test of what was before", `${event} is_test = true`],
    ["what was delivered without an attempt", `${delivery} attempt = 0`],
    ["what failed without an attempt", `${delivery} status = 'failed', attempt = 0`],
    ["what was abandoned before the fifth attempt", `${delivery} status = 'abandoned', attempt = 4`],
    ["a sixth attempt", `${delivery} attempt = 6`],
    ["what has ended and is still to be tried", `${delivery} next_attempt_at = created_at`],
    ["what is pending and has ended", `${delivery} status = 'pending', next_attempt_at = created_at`],
    ["what is pending without a time for it", `${delivery} status = 'pending', finished_at = NULL`]
  ] as const)("refuse %s", ([, change]) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* record(yield* Fixtures.newEndpoint(yield* Fixtures.newUser))
      const error = yield* Effect.flip(sql.unsafe(change))
      assert.isTrue(SqlError.isSqlError(error))
      assert.strictEqual(error.reason._tag, "ConstraintError")
    })
  )
})
