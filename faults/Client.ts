import { Effect } from "effect"
import { createHmac, randomUUID } from "node:crypto"
import { type Answer, type Request, send } from "./Http.ts"
import type { Random } from "./Random.ts"
import {
  type Account,
  type Payment,
  type Purchase,
  type Chargeback,
  type Record,
  type Reversal,
  wasMade
} from "./Record.ts"

/**
 * A client gives up after this time. The service has then failed it, unless the service says that the request is under
 * way: it looks up a vendor's unknown outcome for up to an hour of the product's clock.
 */
const patienceMillis = 120_000
/** The password of every customer. */
export const password = "correct horse battery"

const passing = new Set(["request_still_running", "operation_in_progress"])

const isUnderWay = ({ body, status }: Answer) => status === 409 && passing.has(body.details?.reason)

/** True when a client accepts an answer as final; after any other answer it asks again. */
const isFinal = (answer: Answer) => answer.status < 500 && answer.status !== 429 && !isUnderWay(answer)

interface Options {
  readonly urls: ReadonlyArray<string>
  readonly random: Random
  readonly record: Record
  /** The secret of a sandbox payment, known to the gateway and the service. */
  readonly secretOf: (intent: string) => Effect.Effect<string>
  /** The owner of an account reads the service's mail. */
  readonly verify: (user_id: string) => Effect.Effect<void>
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

const makeAsking = ({ random, record, urls }: Options) => {
  /**
   * Asks the two instances in turn until one answers. Only a session may end, or an account be deleted, before that.
   */
  const ask = Effect.fnUntraced(function* (request: Request, signIn?: Effect.Effect<Request>, mayHaveLeft = false) {
    let sent = request
    let at = random.between(0, urls.length - 1)
    let last: Answer | undefined
    for (const end = Date.now() + patienceMillis; Date.now() < end; record.retries++) {
      const url = urls[at++ % urls.length] ?? ""
      const answer = yield* Effect.tryPromise(() => send(url, sent)).pipe(Effect.orElseSucceed(() => undefined))
      last = answer ?? last
      if (answer?.status === 401 && signIn !== undefined) sent = yield* signIn
      else if (answer !== undefined && isFinal(answer)) {
        if (answer.status === 401 && !mayHaveLeft)
          record.contradictions.push(`${request.method} ${request.path} was answered 401`)
        return answer
      }
      yield* Effect.sleep(random.between(20, 200))
    }
    if (last === undefined || !isUnderWay(last))
      record.contradictions.push(
        `${request.method} ${request.path} had no answer within ${patienceMillis / 1000} seconds`
      )
    return undefined
  })

  /** Sends a request with a session, and signs in again when the session has ended. */
  const asUser = (account: Account, request: Request) => {
    const signed = (): Request => ({ ...request, headers: bearer(account.token) })
    const signIn = Effect.gen(function* () {
      const { email } = account
      const answer = yield* ask({ method: "POST", path: "/v1/auth/login", body: { email, password } })
      account.token = answer?.body.access_token ?? account.token
      return signed()
    })
    return ask(signed(), signIn)
  }

  /** Deletes the account. The answer may be lost: a failed sign-in then shows the deletion. */
  const leave = Effect.fnUntraced(function* (account: Account) {
    account.hasLeft = true
    const login: Request = { method: "POST", path: "/v1/auth/login", body: { email: account.email, password } }
    const request: Request = { method: "DELETE", path: "/v1/users/me", body: { password } }
    for (;;) {
      const left = yield* ask({ ...request, headers: bearer(account.token) }, undefined, true)
      const entered = left?.status === 401 ? yield* ask(login, undefined, true) : undefined
      if (entered?.status === 200) account.token = entered.body.access_token
      else if (left?.status === 204 || entered?.status === 401) return void record.left.push(account.id)
      else return void record.contradictions.push(`the account ${account.id} could not be deleted`)
    }
  })

  return { ask, asUser, leave }
}
type Asking = ReturnType<typeof makeAsking>

const makeBuying = ({ random, record }: Options, { ask }: Asking) => {
  const spend = (purchase: Purchase) =>
    ask({
      method: "POST",
      path: purchase.path,
      body: purchase.body,
      headers: { "x-api-key": purchase.account.api_key, "idempotency-key": purchase.key }
    })

  /** Buys under an idempotency key of its own; sometimes it asks both instances simultaneously. */
  const buy = Effect.fnUntraced(function* (
    wanted: Pick<Purchase, "account" | "path" | "quantity" | "order_id" | "quoted">,
    body: object
  ) {
    const key = randomUUID()
    const purchase: Purchase = {
      ...wanted,
      key,
      body: wanted.quantity > 0 ? { ...body, notes: key } : body,
      answer: undefined
    }
    record.purchases.push(purchase)
    const times = random.chance(0.1) ? 3 : 1
    const answers = yield* Effect.all(
      Array.from({ length: times }, () => spend(purchase)),
      { concurrency: times }
    )
    // One request may have been refused before another succeeded: a refusal leaves the key free.
    const made = answers.filter((answer) => answer !== undefined && answer.status < 300)
    purchase.answer = made[0] ?? answers[0]
    compare(purchase, made.slice(1))
    if (wasMade(purchase)) record.made += purchase.quantity
    return purchase.answer
  })

  /** The service replays the answer of a made order in the same words. */
  const compare = ({ answer, key }: Purchase, others: ReadonlyArray<Answer | undefined>) => {
    for (const other of others) {
      if (other === undefined || answer === undefined) continue
      if (other.status !== answer.status || JSON.stringify(other.body) !== JSON.stringify(answer.body))
        record.contradictions.push(`key ${key} was answered ${answer.status} and ${other.status}, or in other words`)
    }
  }

  /** Repeats a request that succeeded: the answer is the same and says that it is a replay. */
  const replay = Effect.fnUntraced(function* (purchase: Purchase) {
    const answer = yield* spend(purchase)
    compare(purchase, [answer])
    if (answer?.replayed === false) record.contradictions.push(`key ${purchase.key} was not answered as a repeated one`)
  })

  /** Repeats a request that was under way when its client gave up: everything has settled meanwhile. */
  const complete = Effect.fnUntraced(function* (purchase: Purchase) {
    purchase.answer = yield* spend(purchase)
    if (purchase.answer === undefined) record.contradictions.push(`key ${purchase.key} is under way for ever`)
  })

  return { buy, complete, replay }
}

const makeReporting = ({ random, secretOf }: Options, { ask }: Asking) =>
  /**
   * Reports as a gateway does: until the service confirms, and sometimes again afterwards. Answers whether it
   * confirmed.
   */
  Effect.fnUntraced(function* (intent: string, what: object) {
    const body = JSON.stringify({ payment_intent_id: intent, charge_id: `sandbox_${intent}`, currency: "USD", ...what })
    const signature = createHmac("sha256", yield* secretOf(intent))
      .update(body)
      .digest("hex")
    const call: Request = {
      method: "POST",
      path: "/v1/payments/callbacks/crypto_gateway",
      body,
      headers: { "content-type": "application/json", "x-sandbox-signature": `v1=${signature}` }
    }
    const times = random.between(1, 4)
    const answers = yield* Effect.all(
      Array.from({ length: times }, () => ask(call)),
      { concurrency: times }
    )
    return answers.some((answer) => answer?.status === 200)
  })

const makePaying = (options: Options, asking: Asking) => {
  const { random, record } = options
  const tell = makeReporting(options, asking)

  const report = Effect.fnUntraced(function* (account: Account, intent: string, amount: string) {
    const charge_id = `sandbox_${intent}`
    const payment: Payment = { intent, charge_id, amount, user_id: account.id, isConfirmed: false }
    record.payments.set(intent, payment)
    payment.isConfirmed = yield* tell(intent, { outcome: "paid", amount })
    if (!payment.isConfirmed) record.contradictions.push(`the payment ${intent} was not confirmed`)
  })

  /** Reports a reversal in the order of a gateway, or all steps at the same time, in any order. */
  const reverse = Effect.fnUntraced(function* (
    account: Account,
    { intent, whole }: { readonly intent: string; readonly whole: number },
    wanted: ReadonlyArray<Omit<Reversal, "reversal_id">>
  ) {
    const reversals = wanted.map((one) => ({ ...one, reversal_id: `sandbox_${one.kind}_${intent}` }))
    const chargeback: Chargeback = {
      user_id: account.id,
      whole,
      reversals,
      isConfirmed: false,
      orderedAfter: undefined
    }
    record.chargebacks.push(chargeback)
    const report = (status: string, reversals: ReadonlyArray<Reversal>) =>
      reversals.map(({ amount, kind, reversal_id: id }) =>
        tell(intent, { outcome: "reversed", amount: amount.toFixed(2), reversal: { id, kind, status } })
      )
    const reports = [
      ...report(
        "announced",
        reversals.filter(({ kind }) => kind === "dispute")
      ),
      ...report("taken", reversals),
      ...report(
        "returned",
        reversals.filter(({ isReturned }) => isReturned)
      )
    ]
    const confirmed = yield* Effect.all(reports, { concurrency: random.chance(0.7) ? 1 : reports.length })
    chargeback.isConfirmed = confirmed.every(Boolean)
    if (!chargeback.isConfirmed) record.contradictions.push(`the reversals of ${intent} were not confirmed`)
    return chargeback
  })

  /** Asks for a deposit; answers its payment, which is still to be made. */
  const toDeposit = Effect.fnUntraced(function* (account: Account, amount: number) {
    const body = { amount, currency: "USD", payment_method: "crypto_gateway" }
    const answer = yield* asking.asUser(account, { method: "POST", path: "/v1/payments/deposits", body })
    if (answer?.status !== 201) return undefined
    record.deposits.push(answer.body.id)
    const intent: string = answer.body.payment_intent_id
    return { intent, whole: amount, pay: report(account, intent, amount.toFixed(2)) }
  })

  const deposit = Effect.fnUntraced(function* (account: Account, amount: number) {
    const deposit = yield* toDeposit(account, amount)
    if (deposit !== undefined) yield* deposit.pay
  })

  return { report, reverse, toDeposit, deposit }
}

const makeRegister = ({ random, verify }: Options, { ask }: Asking) =>
  /**
   * Registers an account. A referred account comes from another address than its referrer, and both verify their
   * emails.
   */
  Effect.fnUntraced(function* (name: string, isPoor: boolean, receiver: string, referrer?: Account) {
    const email = `${name}@example.com`
    const body = { email, password }
    const referral = referrer === undefined ? {} : { referral_code: referrer.referral_code }
    const from = {
      "x-forwarded-for": `10.${random.between(1, 250)}.${random.between(1, 250)}.${random.between(1, 250)}`
    }
    const first = yield* ask({
      method: "POST",
      path: "/v1/auth/register",
      body: { ...body, ...referral },
      headers: from
    })
    // The answer to an earlier try may have been lost: then the account exists.
    const made = first?.status === 409 ? yield* ask({ method: "POST", path: "/v1/auth/login", body }) : first
    if (made === undefined || made.status >= 300)
      return yield* Effect.die(new Error(`no account: ${JSON.stringify(made)}`))
    const headers = bearer(made.body.access_token)
    // A purchase with a key that has a daily limit is a transaction instead of one statement. No customer reaches the
    // limit.
    const limit = /[13579]$/.test(name) ? { daily_spend_limit_usd: 1_000_000 } : {}
    const key = yield* ask({ method: "POST", path: "/v1/api-keys", headers, body: { name: "faults", ...limit } })
    yield* ask({ method: "POST", path: "/v1/webhooks", headers, body: { url: receiver } })
    if (key?.status !== 201) return yield* Effect.die(new Error(`no API key: ${JSON.stringify(key)}`))
    const account: Account = {
      id: made.body.user.id,
      email,
      api_key: key.body.key,
      isPoor,
      referral_code: made.body.user.referral_code,
      token: made.body.access_token,
      hasLeft: false
    }
    if (referrer !== undefined) yield* Effect.forEach([referrer, account], ({ id }) => verify(id), { discard: true })
    return account
  })

/** The outside world as the service sees it: customers, and the payment gateway's reports. */
export const make = (options: Options) => {
  const asking = makeAsking(options)
  return {
    ...asking,
    ...makeBuying(options, asking),
    ...makePaying(options, asking),
    register: makeRegister(options, asking)
  }
}
export type Client = ReturnType<typeof make>
