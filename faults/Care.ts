import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import * as Secrets from "../src/platform/Secrets.ts"
import type { Client } from "./Client.ts"
import type { Request } from "./Http.ts"
import type { Random } from "./Random.ts"
import type { Account, Announcement, Record } from "./Record.ts"

const staff = {
  owner: [
    "adjustment.goodwill",
    "adjustment.correct",
    "order.work",
    "refund.create",
    "refund.return",
    "announcement.change"
  ],
  finance: ["adjustment.goodwill", "adjustment.correct"],
  support: ["refund.create"]
} as const

/** Makes a person with a token, past the wires; answers the token. */
const enrolOne = Effect.fnUntraced(function* (role: keyof typeof staff) {
  const sql = yield* SqlClient.SqlClient
  const secret = yield* Secrets.make("pst_")
  const begin = new Date(0)
  yield* sql`INSERT INTO staff ${sql.insert({
    id: randomUUID(),
    email: `${role}@example.com`,
    name: role,
    role,
    password_hash: "none",
    created_at: begin,
    totp_secret: "A".repeat(32),
    totp_confirmed_at: begin
  })} ON CONFLICT DO NOTHING`
  yield* sql`
    INSERT INTO staff_token (id, staff_id, name, prefix, secret_hash, permissions, created_at, expires_at)
    SELECT ${randomUUID()}, id, 'care', ${secret.slice(0, 12)}, ${Secrets.digest(secret)}, ${staff[role]}::text[],
      ${new Date()}, ${new Date(Date.now() + 200 * 86_400_000)} FROM staff WHERE email = ${`${role}@example.com`}
  `
  return secret
})

/** Makes an owner, a finance person, and a support person who may return less than a cent alone; answers their tokens. */
export const enrol = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE staff_limit SET per_action = 5000 WHERE role = 'support' AND action = 'refund_wallet'`
  return {
    owner: yield* enrolOne("owner"),
    finance: yield* enrolOne("finance"),
    support: yield* enrolOne("support")
  }
})
type Tokens = Effect.Success<typeof enrol>

/** Signs the owner in, with password and code; answers the session. */
export const signIn = Effect.fnUntraced(function* (now: number) {
  const sql = yield* SqlClient.SqlClient
  const secret = yield* Secrets.make("pss_")
  const [at, end] = [new Date(now), new Date(now + 3_600_000)]
  yield* sql`
    INSERT INTO staff_session (id, staff_id, secret_hash, created_at, seen_at, ends_at, confirmed_at, address, user_agent)
    SELECT ${randomUUID()}, id, ${Secrets.digest(secret)}, ${at}, ${at}, ${end}, ${at}, '127.0.0.1', 'faults'
    FROM staff WHERE email = 'owner@example.com'
  `
  return secret
})

interface Options {
  readonly client: Client
  /** The time of the product's clock. */
  readonly now: () => number
  readonly random: Random
  readonly record: Record
  readonly tokens: Tokens
  /** A session of the owner who has just given password and code. */
  readonly confirmed: Effect.Effect<string>
  /** A customer asks for money back, and staff settle it. */
  readonly withdraw: (account: Account) => Effect.Effect<void>
}

/** The amounts of staff in micro-dollars. */
const cent = 10_000
const dollar = 1_000_000
const hundredDays = 100 * 86_400_000

const reasons = { reason_code: "none", reason: "Something was slow" }

const makeAsk = ({ client, random, record }: Options) =>
  /** Asks for an action. True when an answer says that it is made. */
  Effect.fnUntraced(function* (path: string, key: string, bearer: string, body?: object) {
    const headers = { authorization: `Bearer ${bearer}`, "idempotency-key": key }
    const request: Request = { method: "POST", path: `/v1/admin${path}`, headers, ...(body && { body }) }
    const times = random.chance(0.2) ? 3 : 1
    const answers = yield* Effect.all(
      Array.from({ length: times }, () => client.ask(request)),
      { concurrency: times }
    )
    if (answers.some((answer) => answer !== undefined && answer.status >= 400 && answer.status !== 409))
      record.contradictions.push(`${path} was answered ${answers.map((answer) => answer?.status).join(", ")}`)
    return answers.some((answer) => answer !== undefined && answer.status < 300)
  })
type Ask = ReturnType<typeof makeAsk>

const makeAnnounce = ({ now, random, record, tokens }: Options, ask: Ask) =>
  /** Mails an announcement to everybody with a verified address. Sometimes ends it at once. */
  Effect.fnUntraced(function* (readers: ReadonlyArray<Account>) {
    const announcement: Announcement = {
      id: randomUUID(),
      readers: readers.map(({ id }) => id),
      isMade: false,
      isEnded: random.chance(0.2)
    }
    record.announcements.push(announcement)
    const body = {
      kind: random.pick(["info", "maintenance"]),
      title_en: `News ${announcement.id}`,
      body_en: "A fault run",
      audience: "all",
      by_banner: false,
      by_mail: true,
      starts_at: new Date(now()),
      ends_at: new Date(now() + hundredDays)
    }
    announcement.isMade = yield* ask("/announcements", announcement.id, tokens.owner, body)
    if (announcement.isEnded)
      yield* ask(`/announcements/${announcement.id}/end`, randomUUID(), tokens.owner, { reason: reasons.reason })
  })

/** Staff: gives and takes money, and returns parts of orders. Each action has one key, under which it is asked for until it is answered. */
export const make = (options: Options) => {
  const { confirmed, random, record, tokens, withdraw } = options
  const ask = makeAsk(options)

  const noted = (micros: number) => {
    const care = { key: randomUUID(), micros, isMade: false }
    record.care.push(care)
    return care
  }

  const act = Effect.fnUntraced(function* (path: string, micros: number, body: object, by = tokens.owner) {
    const care = noted(micros)
    care.isMade = yield* ask(path, care.key, by, { ...body, ...reasons })
  })

  /** Gives an order another proxy, or a day. A proxy without another address stays as it is. */
  const give = Effect.fnUntraced(function* (path: string, body: object) {
    const given = { key: randomUUID(), isMade: false }
    record.given.push(given)
    given.isMade = yield* ask(path, given.key, tokens.owner, { reason: reasons.reason, ...body })
  })

  /** Returns a cent of an order above the limit of the person who asks for it; another person approves. */
  const approved = Effect.fnUntraced(function* (order_id: string) {
    const care = noted(cent)
    const body = { kind: "amount", amount: "0.01", ...reasons }
    if (yield* ask(`/orders/${order_id}/refunds`, care.key, tokens.support, body))
      care.isMade = yield* ask(`/refunds/${care.key}/approve`, randomUUID(), yield* confirmed)
  })

  return {
    announce: makeAnnounce(options, ask),
    credit: ({ id: user_id }: Account, cents = random.between(1, 90)) =>
      act("/adjustments", cents * cent, { kind: "goodwill", user_id, amount: (cents / 100).toFixed(2) }),
    debit: ({ id: user_id }: Account) => act("/adjustments", -cent, { kind: "debit", user_id, amount: "0.01" }),
    /** A customer gets 20 dollars that count as paid, and asks for a part of them back. The owner approves what others gave. */
    withdraw: (account: Account) => {
      const body = { kind: "credit", user_id: account.id, amount: "20.00" }
      return Effect.andThen(act("/adjustments", 20 * dollar, body, tokens.finance), withdraw(account))
    },
    /** Returns a cent of an order, which every order costs at least ten times. */
    refund: (order_id: string) => act(`/orders/${order_id}/refunds`, cent, { kind: "amount", amount: "0.01" }),
    /** Pays a dollar of an order back to the card that its customer pays with. */
    payBack: (order_id: string) =>
      act(`/orders/${order_id}/refunds`, dollar, { kind: "amount", amount: "1.00", destination: "gateway" }),
    approved,
    replace: (order_id: string) => give(`/orders/${order_id}/replace`, {}),
    extend: (order_id: string) => give(`/orders/${order_id}/extend`, { days: 1 })
  }
}
export type Care = ReturnType<typeof make>
