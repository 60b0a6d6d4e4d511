import { Effect, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import * as Care from "./Care.ts"
import type { Postgres } from "./Postgres.ts"
import type { Account } from "./Record.ts"
import * as Restricting from "./Restricting.ts"
import * as Withdrawals from "./Withdrawals.ts"
import type { World } from "./World.ts"

interface Options {
  readonly postgres: Postgres
  readonly database: string
}

/** Reads the database directly, past the wires. */
export const make = ({ database, postgres }: Options) => {
  const client = postgres.clientOf(database)
  /** The database may be down for a moment. */
  const query = <A, E>(effect: Effect.Effect<A, E, SqlClient.SqlClient>) =>
    Effect.provide(effect, client).pipe(
      Effect.retry({ schedule: Schedule.spaced("100 millis"), times: 200 }),
      Effect.orDie
    )

  const secretOf = (intent: string) =>
    Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql<{ secret: string }>`
      SELECT secret FROM sandbox_payment WHERE payment_intent_id = ${intent}
    `
    ).pipe(
      Effect.flatMap(([row]) => (row === undefined ? Effect.fail("no such payment") : Effect.succeed(row.secret))),
      query
    )

  const verify = (id: string) =>
    Effect.asVoid(
      query(
        Effect.flatMap(
          SqlClient.SqlClient,
          (sql) => sql`UPDATE user_account SET email_verified = true WHERE id = ${id}`
        )
      )
    )

  const restrict =
    (now: () => number): World["restrict"] =>
    (account, preset) =>
      Effect.suspend(() => {
        const id = randomUUID()
        const lift = Effect.suspend(() => query(Restricting.lift(id, now())))
        return Effect.as(query(Restricting.place(id, account, preset, now())), lift)
      })

  const browserOf = (account: Account) => query(Withdrawals.enter(account))

  return {
    query,
    secretOf,
    verify,
    restrict,
    browserOf,
    enrolStaff: query(Care.enrol),
    signIn: (now: number) => query(Care.signIn(now))
  }
}
export type Observer = ReturnType<typeof make>
