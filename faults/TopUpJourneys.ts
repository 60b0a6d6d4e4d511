import { Effect } from "effect"
import type { Client } from "./Client.ts"
import type { Goods, Ordering } from "./Journeys.ts"
import type { Random } from "./Random.ts"
import type { Account } from "./Record.ts"
import type { Payer, Sums, TopUps } from "./TopUps.ts"

interface Options {
  readonly client: Client
  readonly goods: Goods
  readonly order: Ordering
  readonly payers: ReadonlyArray<Payer>
  readonly random: Random
  readonly receiverUrl: string
  readonly topUps: TopUps
}

/** Some soon reach their limit. */
const sums: ReadonlyArray<Sums> = [
  { threshold: 5, amount: 5, monthly_limit: 10_000 },
  { threshold: 5, amount: 8, monthly_limit: 10_000 },
  { threshold: 7, amount: 7, monthly_limit: 10_000 },
  { threshold: 3, amount: 6.5, monthly_limit: 10_000 },
  { threshold: 7, amount: 7, monthly_limit: 20 },
  { threshold: 5, amount: 8, monthly_limit: 24 }
]

/** The dollars of the smallest payment. */
const leastAmount = 5

/** Customers whose cards pay from the beginning of a run to its end. */
export const payersOf = (topUps: TopUps, register: (name: string) => Effect.Effect<Account>) =>
  Effect.forEach(
    sums,
    (sums, index) => Effect.flatMap(register(`payer${index}`), (account) => topUps.enter(account, sums)),
    { concurrency: 3 }
  )

/** The number of times that a customer looks for money in the wallet, every 100 milliseconds. */
const looks = 50

/** Journeys of customers whose cards pay by themselves. */
export const make = ({ client, goods, order, payers, random, receiverUrl, topUps }: Options) => {
  let count = 0
  const affordable = goods.own.filter(({ cents }) => cents <= leastAmount * 100)
  // The card is charged for about every other order.
  const dear = affordable.reduce((one, other) => (other.cents > one.cents ? other : one))

  /** Spends what the card pays. Sometimes the owner switches automatic top-up on again, which ends the pause of a decline. */
  const spend = Effect.gen(function* () {
    const payer = random.pick(payers)
    if (random.chance(0.3)) yield* topUps.switchOn(payer)
    const answer = yield* order(payer.account, dear, 1)
    if (answer?.status !== 201) yield* Effect.sleep("50 millis")
  })

  /** Removes the card or deletes the account while the card may be charged. */
  const passerBy = Effect.gen(function* () {
    const account = yield* client.register(`card${count++}`, false, receiverUrl)
    const payer = yield* topUps.enter(account, { threshold: 5, amount: 5, monthly_limit: 15 })
    for (let look = 0; look < looks; look++) {
      const answer = yield* order(account, dear, 1)
      if (answer?.status === 201 || random.chance(0.05)) break
      yield* Effect.sleep("100 millis")
    }
    yield* random.chance(0.5) ? client.leave(account) : topUps.removeCard(payer)
  })

  return {
    any: Effect.suspend(() => (random.chance(0.03) ? passerBy : spend)),
    each: [spend, passerBy],
    /** All owners switch automatic top-up on again. */
    switchOn: Effect.forEach(payers, topUps.switchOn, { discard: true })
  }
}
