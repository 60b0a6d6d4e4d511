import { Effect } from "effect"
import type { Client } from "./Client.ts"
import type { Random } from "./Random.ts"
import type { Account, Record } from "./Record.ts"
import type { Event, Stripe } from "./Stripe.ts"

/** The dollars of an automatic top-up. */
export interface Sums {
  readonly threshold: number
  readonly amount: number
  readonly monthly_limit: number
}

/** A customer with a saved card that pays by itself. */
export interface Payer {
  readonly account: Account
  readonly sums: Sums
  readonly card_id: string
  /** Stripe's id of the card. */
  readonly card: string
}

/** In milliseconds. Stripe reports most events immediately; the service must look for the charges of the others. */
const delays = { usual: [0, 2000], late: [15_000, 40_000] } as const
const lateShare = 0.3
/** The number of times that a customer looks for a saved card, every 200 milliseconds. */
const looks = 300

interface Options {
  readonly client: Client
  readonly random: Random
  readonly record: Record
  readonly stripe: Stripe
  /** The owner of an account reads the service's mail: only a verified account buys everything with real money. */
  readonly verify: (user_id: string) => Effect.Effect<void>
}

/** Reports Stripe's events until the service confirms them: late, up to three times, in any order. */
const makeReporting = ({ client, random, record, stripe }: Options) => {
  let waiting = 0

  /** Nothing is late any more when the trouble is over. */
  const pause = Effect.fnUntraced(function* ([least, most]: readonly [number, number]) {
    const until = Date.now() + random.between(least, most)
    while (Date.now() < until && stripe.control.isTroubled) yield* Effect.sleep("50 millis")
  })

  const deliver = Effect.fnUntraced(function* (event: Event, delay: readonly [number, number]) {
    yield* pause(delay)
    // A signature is valid for five minutes.
    const call = () => stripe.callOf(event)
    const answer = yield* client.ask(call(), Effect.sync(call))
    if (answer?.status !== 200)
      record.contradictions.push(`the event ${event.type} was answered ${answer?.status ?? "never"}`)
    waiting -= 1
  })

  const report = Effect.fnUntraced(function* (event: Event) {
    const isCard = event.type.startsWith("checkout")
    const delay = !isCard && random.chance(lateShare) ? delays.late : delays.usual
    const times = random.between(1, 3)
    waiting += times
    for (let each = 0; each < times; each++) yield* Effect.forkScoped(deliver(event, delay))
  })

  const run = Effect.suspend(() => Effect.forEach(stripe.take(), report, { discard: true })).pipe(
    Effect.andThen(Effect.sleep("20 millis")),
    Effect.forever
  )

  return { run, waiting: () => waiting }
}

/** Customers who let a saved card pay. */
const makeCustomers = ({ client, record, stripe, verify }: Options) => {
  /** Switches automatic top-up on, also again after a decline. */
  const switchOn = ({ account, card_id, sums }: Payer) =>
    client.asUser(account, {
      method: "PUT",
      path: "/v1/wallet/auto-top-up",
      body: { enabled: true, ...sums, card_id }
    })

  const found = Effect.fnUntraced(function* (account: Account) {
    for (let look = 0; look < looks; look++) {
      const answer = yield* client.asUser(account, { method: "GET", path: "/v1/wallet/cards" })
      const id: string | undefined = answer?.body.cards?.[0]?.id
      if (id !== undefined) return id
      yield* Effect.sleep("200 millis")
    }
    return yield* Effect.die(new Error(`the card of ${account.email} was not saved`))
  })

  /** Saves a card on the page of Stripe, and lets it pay. */
  const enter = Effect.fnUntraced(function* (account: Account, sums: Sums) {
    yield* verify(account.id)
    const page = yield* client.asUser(account, { method: "POST", path: "/v1/wallet/cards" })
    if (page?.status !== 201) return yield* Effect.die(new Error(`no page for a card: ${JSON.stringify(page)}`))
    const { url }: { url: string } = page.body
    const card = stripe.save(url.slice(url.lastIndexOf("/") + 1))
    record.cards.set(card, { user_id: account.id, monthly_limit: sums.monthly_limit })
    const payer: Payer = { account, sums, card, card_id: yield* found(account) }
    const answer = yield* switchOn(payer)
    if (answer?.status !== 200) return yield* Effect.die(new Error(`no top-up: ${JSON.stringify(answer)}`))
    return payer
  })

  const removeCard = ({ account, card_id }: Payer) =>
    client.asUser(account, { method: "DELETE", path: `/v1/wallet/cards/${card_id}` })

  /** The owner of the card disputes what it paid. */
  const dispute = ({ card }: Payer) => Effect.sync(() => stripe.dispute(card))

  return { switchOn, enter, removeCard, dispute }
}

/** Saved cards that pay by themselves: their customers, and the events of Stripe. */
export const start = Effect.fnUntraced(function* (options: Options) {
  const { run, waiting } = makeReporting(options)
  yield* Effect.forkScoped(run)
  return { ...makeCustomers(options), waiting }
})
export type TopUps = Effect.Success<ReturnType<typeof start>>
