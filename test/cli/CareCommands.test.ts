import { NodeServices } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { readFile, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { AccountLookUp } from "../../src/accounts/AccountLookUp.ts"
import { announce } from "../../src/cli/AnnounceCommand.ts"
import { users } from "../../src/cli/UsersCommand.ts"
import { AnnouncementDesk } from "../../src/staff/announcements/AnnouncementDesk.ts"
import { CustomerCare } from "../../src/staff/customers/CustomerCare.ts"
import { CustomerRecords } from "../../src/staff/customers/CustomerRecords.ts"
import { CustomerRestrictions } from "../../src/staff/customers/CustomerRestrictions.ts"
import { Customers } from "../../src/staff/customers/Customers.ts"
import { newUser } from "../support/Fixtures.ts"
import * as TestApp from "../support/TestApp.ts"
import { events } from "./CommandEvents.ts"
import { runner } from "./CommandTesting.ts"

const run = runner(
  users(
    Layer.mergeAll(
      AccountLookUp.layer,
      Layer.effect(CustomerRestrictions, CustomerRestrictions),
      Layer.effect(Customers, Customers)
    ),
    Layer.mergeAll(
      AccountLookUp.layer,
      Layer.effect(CustomerCare, CustomerCare),
      Layer.effect(CustomerRecords, CustomerRecords)
    )
  )
)
const runAnnounce = runner(announce(Layer.effect(AnnouncementDesk, AnnouncementDesk)))

layer(Layer.merge(TestApp.layer(), NodeServices.layer))("The commands for customers", (it) => {
  it.effect("write notes, list mails, help with the sign-in, export to a new file and erase", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const email = `${user}@example.com`
      yield* run(`note ${email} Content`)
      assert.match(yield* run(`notes ${email}`), /^\S+\tcli:\S+\tContent$/)
      assert.strictEqual(yield* run(`resend-verification ${user}`), "The verification mail is on its way")
      assert.match(yield* run(`mails ${user}`), new RegExp(`^\\S+\temail_verification\t${email}\tqueued\t$`))
      assert.strictEqual(yield* run(`end-sessions ${user} --reason Asked`), "All sessions have ended")

      const file = join(tmpdir(), `${randomUUID()}.json`)
      yield* Effect.addFinalizer(() => Effect.promise(() => rm(file, { force: true })))
      assert.include(yield* run(`export ${user} --reason Asked --file ${file}`), file)
      const written = JSON.parse(yield* Effect.promise(() => readFile(file, "utf8")))
      assert.strictEqual(written.profile.email, email)
      assert.strictEqual((yield* Effect.promise(() => stat(file))).mode & 0o777, 0o600)
      assert.match(yield* run(`export ${user} --reason Asked --file ${file}`), /^failed: Cannot write/)

      assert.include(yield* run(`erase ${user} --reason Asked`), "Repeat with --yes")
      assert.strictEqual(yield* run(`erase ${user} --reason Asked --yes`), `${user} is erased`)
      assert.include(yield* run(`notes ${email}`), "There is no account")
      const actions = (yield* events).filter(({ user_id }) => user_id === user).map(({ action }) => action)
      assert.deepStrictEqual(actions, [
        "customer.note",
        "customer.help",
        "customer.help",
        "customer.export",
        "customer.export",
        "customer.erase"
      ])
    })
  )

  it.effect("publish an announcement with --yes, list and end it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE user_account SET email_verified = true WHERE id = ${yield* newUser}`
      assert.strictEqual(yield* runAnnounce("list"), "No announcements")
      const line = "publish maintenance --title Maintenance --text Soon --until 1970-02-01 --mail"
      assert.strictEqual(yield* runAnnounce(line), "Would publish with 1 mails; repeat with --yes")
      assert.strictEqual(yield* runAnnounce("list"), "No announcements")
      const published = yield* runAnnounce(`${line} --yes`)
      const [, id = ""] = /^published\t(\S+)\t1 mails$/.exec(published) ?? []
      assert.match(
        yield* runAnnounce("list"),
        new RegExp(`^${id}\tmaintenance\tall\tfrom .*\t0 mails so far\tMaintenance$`)
      )
      assert.include(yield* runAnnounce(`end ${id} --reason Done`), `ended\t${id}`)
      assert.include(yield* runAnnounce(`end ${id} --reason Twice`), "failed: The announcement has ended before")
      assert.include(yield* runAnnounce("end nothing --reason Done"), "failed: There is no such announcement")
      assert.include(
        yield* runAnnounce(`${line} --to provider --name nobody --yes`),
        "failed: There is no such provider"
      )
    })
  )
})
