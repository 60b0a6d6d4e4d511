import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import * as Secrets from "../src/platform/Secrets.ts"
import type { Browser, Forms } from "./Forms.ts"
import type { Answer } from "./Http.ts"
import type { Random } from "./Random.ts"
import type { Account, Record, Withdrawal } from "./Record.ts"

const far = new Date(Date.now() + 400 * 86_400_000)

/** Signs a person with a verified email in, past the wires. */
export const enter = Effect.fnUntraced(function* ({ id: user_id }: Account) {
  const sql = yield* SqlClient.SqlClient
  const id = randomUUID()
  const session = yield* Secrets.make("pbs_")
  yield* sql`UPDATE user_account SET email_verified = true WHERE id = ${user_id}`
  yield* sql`INSERT INTO user_session ${sql.insert({ id, user_id, created_at: new Date(0), last_used_at: far, expires_at: far })}`
  yield* sql`INSERT INTO browser_session ${sql.insert({ token_hash: Secrets.digest(session), session_id: id })}`
  return { secret: yield* Secrets.make(""), session } satisfies Browser
})

interface Options {
  readonly forms: Forms
  readonly random: Random
  readonly record: Record
  /** A session of the owner who has just given password and code. */
  readonly confirmed: Effect.Effect<string>
  readonly browserOf: (account: Account) => Effect.Effect<Browser>
  /** Restricts an account; answers the effect that lifts the restriction. */
  readonly restrict: (account: Account, preset: "suspend") => Effect.Effect<Effect.Effect<void>>
  readonly password: string
}

const amount = 15_000_000

const transfer = { reference: "A transfer" }

/** The statuses of answers to a decision: made, or too late. */
const decided = [200, 409]

/**
 * A customer asks for money back, by a form that is sent once or several times. Staff send it or decline it while the customer may
 * cancel it, and the operator may restrict the account in between.
 */
export const make = ({
  browserOf,
  confirmed,
  forms: { repeated, submit },
  password,
  random,
  record,
  restrict
}: Options) => {
  const check = (what: string, answers: ReadonlyArray<Answer | undefined>, allowed: ReadonlyArray<number>) => {
    const odd = answers.find((answer) => answer !== undefined && !allowed.includes(answer.status))
    if (odd !== undefined) record.contradictions.push(`${what} was answered ${odd.status}`)
    return answers.some((answer) => answer?.status === allowed[0])
  }

  const decide = Effect.fnUntraced(function* ({ id }: Withdrawal, what: string, body: object) {
    const headers = { authorization: `Bearer ${yield* confirmed}`, "idempotency-key": randomUUID() }
    const path = `/v1/admin/payouts/${id}/${what}`
    return yield* repeated({ method: "POST", path, headers, body: { reason: "A fault run", ...body } })
  })

  const settle = Effect.fnUntraced(function* (withdrawal: Withdrawal, what: string, status: string, body: object) {
    if (check(what, yield* decide(withdrawal, what, body), decided) && status !== "approved")
      withdrawal.ends.push(status)
  })

  /** Nothing is sent to an account that is restricted after the approval. */
  const send = Effect.fnUntraced(function* (account: Account, withdrawal: Withdrawal) {
    yield* settle(withdrawal, "approve", "approved", {})
    if (random.chance(0.4)) {
      const lift = yield* restrict(account, "suspend")
      check("sent to a restricted account", yield* decide(withdrawal, "sent", transfer), [409])
      yield* lift
    }
    yield* settle(withdrawal, "sent", "sent", transfer)
  })

  const ask = Effect.fnUntraced(function* (account: Account, browser: Browser, mayBeSent: boolean) {
    const withdrawal: Withdrawal = { id: randomUUID(), micros: amount, isAsked: false, ends: [] }
    record.withdrawals.push(withdrawal)
    const form = { amount: String(amount / 1e6), destination: "A bank account", password, nonce: withdrawal.id }
    withdrawal.isAsked = check("a withdrawal", yield* submit(account, browser, "/app/wallet/payout", form), [303])
    if (!withdrawal.isAsked) return
    const cancel = Effect.gen(function* () {
      const path = `/app/wallet/payout/${withdrawal.id}/cancel`
      if (check("a cancellation", yield* submit(account, browser, path, {}), [303, 409]))
        withdrawal.ends.push("cancelled")
    })
    const decline = settle(withdrawal, "decline", "declined", { customer_text: "A fault run" })
    const returning = [[decline], [cancel], [decline, cancel]]
    const ends = mayBeSent
      ? [[send(account, withdrawal)], [send(account, withdrawal), cancel], ...returning]
      : returning
    yield* Effect.all(random.pick(ends), { concurrency: 2, discard: true })
  })

  /** The first request returns its money, which the second one asks for again. */
  return Effect.fnUntraced(function* (account: Account) {
    const browser = yield* browserOf(account)
    yield* ask(account, browser, false)
    yield* ask(account, browser, true)
  })
}
