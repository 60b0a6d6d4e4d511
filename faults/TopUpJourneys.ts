import { Effect } from "effect"
import type { Care } from "./Care.ts"
import type { Client } from "./Client.ts"
import type { Goods, Ordering } from "./Journeys.ts"
import type { Papers } from "./Papers.ts"
import type { Random } from "./Random.ts"
import type { Account } from "./Record.ts"
import type { Payer, Sums, TopUps } from "./TopUps.ts"

interface Options {
  readonly accounts: ReadonlyArray<Account>
  readonly care: Care
  readonly client: Client
  readonly goods: Goods
  readonly order: Ordering
  readonly papers: Papers
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
export const make = ({
  accounts,
  care,
  client,
  goods,
  order,
  papers,
  payers,
  random,
  receiverUrl,
  topUps
}: Options) => {
  let count = 0
  const affordable = goods.own.filter(({ cents }) => cents <= leastAmount * 100)
  // The card is charged for about every other order.
  const dear = affordable.reduce((one, other) => (other.cents > one.cents ? other : one))

  /** Spends what the card pays. Sometimes the owner switches automatic top-up on again, which ends the pause of a decline. */
  const spend = Effect.gen(function* () {
    const payer = random.pick(payers)
    if (random.chance(0.3)) yield* topUps.switchOn(payer)
    const answer = yield* order(payer.account, dear, 1)
    if (random.chance(0.1)) yield* papers.read(payer.account)
    if (answer?.status !== 201) yield* Effect.sleep("50 millis")
    else if (random.chance(0.15)) yield* care.payBack(answer.body[0].id)
  })

  /** Orders as soon as the card has paid; undefined when it does not pay in time. */
  const bought = Effect.fnUntraced(function* (account: Account, leave = 0) {
    for (let look = 0; look < looks; look++) {
      const answer = yield* order(account, dear, 1)
      if (answer?.status === 201) return answer.body[0].id as string
      if (random.chance(leave)) return undefined
      yield* Effect.sleep("100 millis")
    }
    return undefined
  })

  /** Removes the card or deletes the account while the card may be charged. */
  const passerBy = Effect.gen(function* () {
    const account = yield* client.register(`card${count++}`, false, receiverUrl)
    const payer = yield* topUps.enter(account, { threshold: 5, amount: 5, monthly_limit: 15 })
    yield* bought(account, 0.05)
    yield* random.chance(0.5) ? client.leave(account) : topUps.removeCard(payer)
  })

  /** Staff pays a part of the card's only payment back, which the owner of the card disputes as a whole. */
  const disputed = Effect.gen(function* () {
    const referrer = random.pick(accounts.filter(({ isPoor }) => !isPoor))
    const account = yield* client.register(`claim${count++}`, false, receiverUrl, referrer)
    const payer = yield* topUps.enter(account, { threshold: 5, amount: 8, monthly_limit: 15 })
    const id = yield* bought(account)
    if (id === undefined) return
    // The wallet always covers the dispute: an operator would have to settle a shortfall.
    yield* care.credit(account, 500)
    const [payBack, dispute] = [care.payBack(id), topUps.dispute(payer)]
    yield* random.chance(0.7) ? Effect.andThen(payBack, dispute) : Effect.all([payBack, dispute], { concurrency: 2 })
  })

  return {
    any: Effect.suspend(() => {
      const luck = random.next()
      return luck < 0.03 ? passerBy : luck < 0.13 ? disputed : spend
    }),
    each: [spend, passerBy, disputed],
    /** All owners switch automatic top-up on again. */
    switchOn: Effect.forEach(payers, topUps.switchOn, { discard: true })
  }
}
