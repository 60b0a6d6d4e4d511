import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import * as Secrets from "../src/platform/Secrets.ts"
import type { Client } from "./Client.ts"
import type { Request } from "./Http.ts"
import type { Random } from "./Random.ts"
import type { Account, Record } from "./Record.ts"

const permissions = ["adjustment.correct", "adjustment.goodwill", "refund.create"]

/** Makes an owner with a token and a session that is always confirmed, past the wires. */
export const enrol = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const id = randomUUID()
  const secret = yield* Secrets.make("pst_")
  const begin = new Date(0)
  yield* sql`INSERT INTO staff ${sql.insert({
    id,
    email: "care@example.com",
    name: "Care",
    role: "owner",
    password_hash: "none",
    created_at: begin,
    totp_secret: "A".repeat(32),
    totp_confirmed_at: begin
  })} ON CONFLICT DO NOTHING`
  yield* sql`
    INSERT INTO staff_token (id, staff_id, name, prefix, secret_hash, permissions, created_at, expires_at)
    SELECT ${randomUUID()}, id, 'care', ${secret.slice(0, 12)}, ${Secrets.digest(secret)}, ${permissions}::text[],
      ${new Date()}, ${new Date(Date.now() + 200 * 86_400_000)} FROM staff WHERE email = 'care@example.com'
  `
  const session = yield* Secrets.make("pss_")
  const far = new Date(Date.now() + 400 * 86_400_000)
  yield* sql`
    INSERT INTO staff_session (id, staff_id, secret_hash, created_at, seen_at, ends_at, confirmed_at, address, user_agent)
    SELECT ${randomUUID()}, id, ${Secrets.digest(session)}, ${begin}, ${far}, ${far}, ${far}, '192.0.2.1', 'faults'
    FROM staff WHERE email = 'care@example.com'
  `
  return { token: secret, staff: session }
})

interface Options {
  readonly client: Client
  readonly random: Random
  readonly record: Record
  readonly token: string
  readonly withdraw: (account: Account) => Effect.Effect<void>
}

/** Staff: gives money, and returns parts of orders. Each action has one key, under which it is asked for until it is answered. */
export const make = ({ client, random, record, token, withdraw }: Options) => {
  const ask = Effect.fnUntraced(function* (path: string, body: object, micros: number) {
    const care = { key: randomUUID(), micros, isMade: false }
    record.care.push(care)
    const headers = { authorization: `Bearer ${token}`, "idempotency-key": care.key }
    const reasons = { reason_code: "none", reason: "Something was slow" }
    const request: Request = { method: "POST", path: `/v1/admin${path}`, headers, body: { ...body, ...reasons } }
    const times = random.chance(0.2) ? 3 : 1
    const answers = yield* Effect.all(
      Array.from({ length: times }, () => client.ask(request)),
      { concurrency: times }
    )
    care.isMade = answers.some((answer) => answer?.status === 200)
    if (answers.some((answer) => answer !== undefined && answer.status >= 400 && answer.status !== 409))
      record.contradictions.push(`${path} was answered ${answers.map((answer) => answer?.status).join(", ")}`)
  })

  return {
    credit: ({ id: user_id }: Account) => {
      const cents = random.between(1, 90)
      return ask("/adjustments", { kind: "goodwill", user_id, amount: (cents / 100).toFixed(2) }, cents * 10_000)
    },
    /** A new customer gets money that counts as paid, and asks for a part of it back. */
    withdraw: (account: Account) =>
      Effect.andThen(
        ask("/adjustments", { kind: "credit", user_id: account.id, amount: "20.00" }, 20_000_000),
        withdraw(account)
      ),
    /** Returns a cent of an order, which every order costs at least ten times. */
    refund: (order_id: string) => ask(`/orders/${order_id}/refunds`, { kind: "amount", amount: "0.01" }, 10_000)
  }
}
export type Care = ReturnType<typeof make>
