import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { Atomically } from "../../src/platform/postgres/Atomically.ts"
import * as Actor from "../../src/staff/Actor.ts"
import { Audit } from "../../src/staff/audit/Audit.ts"
import { AuditLog } from "../../src/staff/audit/AuditLog.ts"
import { StaffId } from "../../src/staff/StaffId.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { actorOf } from "./StaffTesting.ts"

const world = () => Layer.merge(Audit.layer, AuditLog.layer).pipe(Layer.provideMerge(Layer.fresh(TestDatabase.layer)))

const change = (name = "A name") => ({
  actor: Actor.cli("root"),
  action: "staff.change" as const,
  subject: { kind: "staff", id: randomUUID() },
  before: { name, token: null },
  after: { name: "Another", token: "pst_secret", disabled_at: undefined },
  reason: "A reason"
})

const faults = Effect.flatMap(AuditLog, ({ verify }) => Effect.map(verify, (found) => found.faults))

layer(world())("The audit log", (it) => {
  it.effect("shows named fields, hides secrets, and pages the newest first by filters", () =>
    Effect.gen(function* () {
      const audit = yield* Audit
      const log = yield* AuditLog
      const person = StaffId.make(randomUUID())
      for (const n of [1, 2, 3]) yield* audit.record({ ...change(`name ${n}`), actor: actorOf(person, "owner") })
      yield* audit.record({ ...change(), actor: Actor.system })
      yield* audit.refused({ ...change(), reason: "Not allowed" })

      const { items, next } = yield* log.list({ limit: 2, staff_id: person })
      assert.deepStrictEqual(
        items.map(({ before }) => before),
        [
          { name: "name 3", token: null },
          { name: "name 2", token: null }
        ]
      )
      assert.deepStrictEqual(items[0]?.after, { name: "Another", token: "[secret]" })
      const rest = yield* log.list({ limit: 2, staff_id: person, after: String(next) })
      assert.deepStrictEqual([rest.items.length, rest.next], [1, null])
      const refused = yield* log.list({ limit: 10, outcome: "refused" })
      assert.deepStrictEqual(
        refused.items.map(({ actor_name, reason }) => [actor_name, reason]),
        [["cli:root", "Not allowed"]]
      )
      assert.deepStrictEqual(yield* faults, [])
    })
  )

  it.effect("records an action in the transaction of the action, and a refusal outside of it", () =>
    Effect.gen(function* () {
      const audit = yield* Audit
      const log = yield* AuditLog
      const atomically = yield* Atomically
      const undone = change()
      yield* Effect.flip(atomically(Effect.andThen(audit.record(undone), Effect.fail("refused"))))
      assert.deepStrictEqual((yield* log.list({ limit: 1, subject_id: undone.subject.id })).items, [])
      const inside = yield* Effect.exit(atomically(audit.refused(undone)))
      assert.strictEqual(inside._tag, "Failure")
    })
  )

  it.effect("refuses every change in the database", () =>
    Effect.gen(function* () {
      yield* (yield* Audit).record(change())
      const sql = yield* SqlClient.SqlClient
      const changes = [
        sql`UPDATE audit_event SET reason = 'other'`,
        sql`DELETE FROM audit_event`,
        sql`TRUNCATE audit_event CASCADE`,
        sql`UPDATE audit_link SET hash = ''`,
        sql`DELETE FROM audit_link`,
        sql`TRUNCATE audit_link`,
        sql`UPDATE audit_head SET hash = ''`,
        sql`DELETE FROM audit_head`,
        sql`TRUNCATE audit_head`,
        sql`INSERT INTO audit_head (is_head, seq, hash) VALUES (false, 0, '')`
      ]
      for (const change of changes) assert.strictEqual((yield* Effect.flip(change)).reason._tag, "ConstraintError")
    })
  )

  it.effect("has one chain, whatever the zone of a session is and however many write at once", () =>
    Effect.gen(function* () {
      const audit = yield* Audit
      const atomically = yield* Atomically
      const sql = yield* SqlClient.SqlClient
      const inZone = (zone: string) =>
        atomically(Effect.andThen(sql.unsafe(`SET LOCAL timezone = '${zone}'`), audit.record(change())))
      const zones = ["UTC", "America/New_York", "Asia/Kolkata", "Europe/Berlin"]
      yield* Effect.forEach([...zones, ...zones, ...zones], inZone, { concurrency: "unbounded" })
      const verified = sql.withTransaction(Effect.andThen(sql`SET LOCAL timezone = 'Asia/Tokyo'`, faults))
      assert.deepStrictEqual(yield* verified, [])
    })
  )

  it.effect("takes the lock of the chain at the commit, so that two actions on one row do not block each other", () =>
    Effect.gen(function* () {
      const audit = yield* Audit
      const atomically = yield* Atomically
      const sql = yield* SqlClient.SqlClient
      yield* sql`CREATE TABLE thing (id int PRIMARY KEY, n int)`
      yield* sql`INSERT INTO thing VALUES (1, 0)`
      const act = atomically(Effect.andThen(audit.record(change()), sql`UPDATE thing SET n = n + 1 WHERE id = 1`))
      const late = atomically(Effect.andThen(sql`UPDATE thing SET n = n + 1 WHERE id = 1`, audit.record(change())))
      yield* Effect.forEach([act, late, act, late, act, late], (each) => each, { concurrency: "unbounded" })
      assert.deepStrictEqual(yield* sql`SELECT n FROM thing`, [{ n: 6 }])
    })
  )
})

layer(world())("A forged audit log", (it) => {
  it.effect("is found: a changed event, a removed one, a cut end, one without a link", () =>
    Effect.gen(function* () {
      const audit = yield* Audit
      const sql = yield* SqlClient.SqlClient
      for (let n = 0; n < 5; n++) yield* audit.record(change())
      /** Forges in a transaction that is undone. */
      const forged = (...statements: ReadonlyArray<string>) =>
        Effect.gen(function* () {
          yield* sql`SET LOCAL session_replication_role = replica`
          for (const statement of statements) yield* sql.unsafe(statement)
          return yield* Effect.fail(yield* faults)
        }).pipe(sql.withTransaction, Effect.flip)
      const second = "(SELECT event_id FROM audit_link WHERE seq = 2)"

      assert.deepStrictEqual(yield* forged(`UPDATE audit_event SET reason = 'x' WHERE id = ${second}`), [
        { place: "2", problem: "its event was changed" }
      ])
      assert.deepStrictEqual(yield* forged(`DELETE FROM audit_event WHERE id = ${second}`), [
        { place: "2", problem: "its event is missing" }
      ])
      assert.deepStrictEqual(
        yield* forged(`DELETE FROM audit_event WHERE id = ${second}`, "DELETE FROM audit_link WHERE seq = 2"),
        [{ place: "3", problem: "a link before it is missing" }]
      )
      assert.deepStrictEqual(
        yield* forged(
          "DELETE FROM audit_event WHERE id = (SELECT event_id FROM audit_link WHERE seq = 5)",
          "DELETE FROM audit_link WHERE seq = 5"
        ),
        [{ place: "5", problem: "the head is not the last link" }]
      )
      const added = yield* forged(`INSERT INTO audit_event SELECT (jsonb_populate_record(e,
        jsonb_build_object('id', '00000000-0000-7000-8000-000000000001'))).* FROM audit_event e WHERE id = ${second}`)
      assert.deepStrictEqual(added, [{ place: "00000000-0000-7000-8000-000000000001", problem: "it has no link" }])
      const [link, head] = [
        "UPDATE audit_link SET hash = sha256('x') WHERE seq = 5",
        "UPDATE audit_head SET hash = sha256('x')"
      ]
      assert.deepStrictEqual(yield* forged(link, head), [{ place: "5", problem: "its event was changed" }])
      assert.deepStrictEqual(yield* faults, [])
    })
  )
})
