import { Cause, Duration, Effect } from "effect"
import type { Aim } from "./Failpoints.ts"
import * as Journeys from "./Journeys.ts"
import { wasMade } from "./Record.ts"
import * as TopUpJourneys from "./TopUpJourneys.ts"
import { GaveUp, waitsFor } from "./Waiting.ts"
import type { World } from "./World.ts"

/** The amount of events in a run. */
export interface Extent {
  /** The least number of orders. */
  readonly orders: number
  /** The number of orders after which customers ask for no more. */
  readonly seconds: number
  /** In seconds: a longer run gives up. */
  readonly limit: number
  readonly aim: Aim
  /** True to continue after enough orders, while points are aimed at that have not failed in each way. */
  readonly isThorough: boolean
  /** True to kill and restart the processes and the database at random moments. */
  readonly isRough: boolean
  /** True to raise the prices once after customers were quoted them. */
  readonly isRepriced: boolean
  /** The percentage of orders that go to the vendor. */
  readonly vendorShare: number
  /** The percentage of journeys of customers with a card that pays by itself. */
  readonly topUpShare: number
  /** The share of orders from the wallet that are changed afterwards. */
  readonly changeShare: number
  /** The percentage of journeys in which staff care for a customer, beside those of every run. */
  readonly careShare: number
  /** The percentage of journeys with invoices and announcements, beside those of every run. */
  readonly paperShare: number
  /** The share of purchases that the vendor refuses. */
  readonly refused: number
  /** True when the vendor does not answer for hours after a sale. */
  readonly hasOutage: boolean
  /** The number of outages of eleven minutes of the whole service before everything has settled. */
  readonly outages: number
  readonly clients: number
}

const minute = 60_000
const wealth = 10_000
const accounts = { rich: 5, poor: 1 }

const setUp = Effect.fnUntraced(function* (
  { care, client, now, papers, random, ready, receiverUrl, record, restrict, topUps, verify }: World,
  { careShare, changeShare, paperShare, topUpShare, vendorShare }: Extent
) {
  yield* ready
  const people = [
    ...Array.from({ length: accounts.rich }, (_, index) => ({ name: `rich${index}`, isPoor: false })),
    ...Array.from({ length: accounts.poor }, (_, index) => ({ name: `poor${index}`, isPoor: true }))
  ]
  const enter = Effect.fnUntraced(function* ({ isPoor, name }: (typeof people)[number]) {
    const account = yield* client.register(name, isPoor, receiverUrl)
    if (!isPoor) yield* client.deposit(account, wealth)
    return account
  })
  const entered = yield* Effect.forEach(people, enter, { concurrency: 4 })
  const payers = yield* TopUpJourneys.payersOf(topUps, (name) => client.register(name, false, receiverUrl))
  const goods = yield* Journeys.goodsOf(client)
  const journeys = Journeys.make({
    accounts: entered,
    payers,
    client,
    care: yield* care,
    papers,
    verify,
    topUps,
    goods,
    random,
    receiverUrl,
    record,
    restrict,
    now,
    vendorShare,
    topUpShare,
    changeShare,
    careShare,
    paperShare
  })
  return { goods, journeys }
})

/**
 * Misfortunes of a data center at random moments. Each leaves the service some time to work, even on a slow machine.
 */
const roughness = Effect.fnUntraced(function* (
  { crashDatabase, gateway, operator, random, services }: World,
  { quoted }: Journeys.Journeys
) {
  let crashes = 0
  const pick = Effect.sync(() => random.pick([...services, gateway]))
  const kill = Effect.map(pick, (one) => one.kill())
  const restart = Effect.flatMap(pick, (one) => Effect.andThen(one.hold, one.letGo))
  const crash = Effect.andThen(
    crashDatabase,
    Effect.sync(() => crashes++)
  )
  const misfortunes = [
    { what: kill, least: 5, most: 10 },
    { what: restart, least: 30, most: 60 },
    { what: crash, least: 20, most: 40 },
    { what: quoted(operator.changeShop), least: 8, most: 16 }
  ]
  // A start that takes too long ends the run in another place; the error must not end the misfortunes silently.
  const calm = Effect.forEach(services, ({ ready }) => Effect.exit(ready), { discard: true })
  for (const { least, most, what } of misfortunes) {
    const pause = Effect.suspend(() => Effect.sleep(`${random.between(least, most)} seconds`))
    yield* pause.pipe(Effect.andThen(calm), Effect.andThen(what), Effect.forever, Effect.forkScoped)
  }
  return () => crashes
})

/** The end of a run starts each process about this often, so it needs more time when starts are slow. */
const startsAtTheEnd = 6

/** Customers come and go until there are enough orders and enough faults. */
const load = Effect.fnUntraced(function* (world: World, extent: Extent, journeys: Journeys.Journeys, deadline: number) {
  const { any, each, quoted } = journeys
  const { failpoints, meanStart, operator, record, stripe, vendor } = world
  // The run begins without faults, so that the points become known.
  failpoints.aim("nothing")
  yield* Effect.all(each, { concurrency: 2, discard: true })
  if (extent.isRepriced) yield* Effect.andThen(operator.sellAt("low"), quoted(operator.sellAt("high")))
  const known = failpoints.known.points
  failpoints.aim(extent.aim, extent.seconds * 1000)
  for (const { control } of [stripe, vendor]) control.isTroubled = true
  vendor.control.refused = extent.refused
  const end = Date.now() + extent.seconds * 1000
  const goesOn = () => {
    const isEnough = record.made >= extent.orders && !(extent.isThorough && failpoints.isThorough)
    return !isEnough && Date.now() < Math.min(end, deadline - startsAtTheEnd * meanStart())
  }
  const journey = any.pipe(
    Effect.catchCause((cause) => {
      if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause)
      record.failures.push(Cause.pretty(cause))
      return Effect.sleep("1 second")
    })
  )
  const customer = Effect.whileLoop({ while: goesOn, body: () => journey, step: () => undefined })
  const customers = Effect.all(
    Array.from({ length: extent.clients }, () => customer),
    { concurrency: extent.clients, discard: true }
  )
  const crashes = yield* Effect.scoped(
    Effect.gen(function* () {
      const crashes = extent.isRough ? yield* roughness(world, journeys) : () => 0
      yield* customers
      return crashes()
    })
  )
  failpoints.aim("nothing")
  for (const { control } of [stripe, vendor]) control.isTroubled = false
  vendor.control.refused = 0
  return { crashes, known }
})

/** True when everything has settled, including the vendor's leases without an owner and the events of Stripe. */
const hasSettled = Effect.fnUntraced(function* ({ keptLeases, provisionedAtVendor, topUps, unsettled }: World) {
  if (topUps.waiting() > 0) return false
  return (yield* unsettled).length === 0 && (yield* provisionedAtVendor) === keptLeases()
})

/**
 * Quick work is done immediately; then the slowest job, which runs once in a minute of the product, has time for a
 * round.
 */
const patience = { first: 10, later: 45 }

const settle = Effect.fnUntraced(function* (world: World, outages: number) {
  yield* world.ready
  for (let left = outages; ; left--) {
    const times = left === outages ? patience.first : patience.later
    for (let waited = 0; waited < times; waited++) {
      if (yield* hasSettled(world)) return
      yield* Effect.sleep("200 millis")
    }
    if (left === 0) return
    yield* world.outage(11 * minute)
  }
})

/**
 * The vendor sells, and then does not answer for five hours: the service refunds the orders. When the vendor is back,
 * the service releases the proxies without an owner.
 */
const vendorOutage = Effect.fnUntraced(function* (
  world: World,
  goods: Journeys.Goods,
  { order }: Journeys.Journeys,
  { aim, outages }: Extent
) {
  const { control } = world.vendor
  control.purchases = "hang after"
  const offer = goods.vendors[0]
  if (offer !== undefined) yield* Effect.all([order(offer), order(offer), order(offer)], { concurrency: 3 })
  control.questions = { status: 500, body: "oops" }
  yield* world.outage(300 * minute)
  world.failpoints.aim(aim)
  for (let waited = 0; (yield* world.unsettled).length > 0 && waited < 50; waited++) yield* Effect.sleep("200 millis")
  control.purchases = undefined
  control.questions = undefined
  yield* Effect.sleep("5 seconds")
  world.failpoints.aim("nothing")
  yield* settle(world, outages)
})

/** The progress of a run: its stage, and the time since its beginning. */
class Progress {
  readonly startedAt = Date.now()
  stage = "setting up"

  get seconds() {
    return Math.round((Date.now() - this.startedAt) / 1000)
  }

  line({ failpoints, kills, record, starting }: World) {
    const down = starting()
    return (
      `${String(this.seconds).padStart(4)} s  ${this.stage}  ${record.made} orders  ${kills()} kills  ` +
      `${failpoints.left} of ${failpoints.known.ways} left to fail  ${record.retries} retries` +
      (down.length > 0 ? `  starting: ${down.join(", ")}` : "")
    )
  }
}

const story = Effect.fnUntraced(function* (world: World, extent: Extent, progress: Progress) {
  const { client, failpoints, record } = world
  const { goods, journeys } = yield* setUp(world, extent)
  progress.stage = "selling"
  const { crashes, known } = yield* load(world, extent, journeys, progress.startedAt + extent.limit * 1000)
  progress.stage = "asking again"
  yield* world.ready
  const made = record.purchases.filter(
    (purchase) => wasMade(purchase) && !purchase.account.hasLeft && purchase.account.isRestricted !== true
  )
  yield* Effect.forEach(made, client.replay, { concurrency: 16, discard: true })
  // Nothing pauses after a decline while the run compares.
  yield* journeys.switchOn
  progress.stage = "settling"
  yield* settle(world, extent.outages)
  const open = record.purchases.filter(({ account, answer }) => answer === undefined && account.isRestricted !== true)
  yield* Effect.forEach(open, client.complete, { concurrency: 16, discard: true })
  progress.stage = "recovering from the vendor's outage"
  if (extent.hasOutage) yield* vendorOutage(world, goods, journeys, extent)
  progress.stage = "comparing"
  return {
    violations: yield* world.violations,
    seconds: progress.seconds,
    orders: record.made,
    retries: record.retries,
    replayed: made.length,
    kills: world.kills(),
    crashes,
    applied: world.operator.applied(),
    charges: world.stripe.payments.size,
    known,
    failpoints
  }
})

/** One run from its beginning to its findings. A run that takes too long fails, and names the unfinished work. */
export const run = Effect.fnUntraced(function* (
  world: World,
  extent: Extent,
  tell: (line: string) => Effect.Effect<void>
) {
  const progress = new Progress()
  const show = Effect.suspend(() => tell(progress.line(world)))
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep("5 seconds"), show)))
  const result = yield* Effect.timeoutOrElse(story(world, extent, progress), {
    duration: Duration.seconds(extent.limit),
    orElse: () =>
      Effect.flatMap(waitsFor(world), (what) =>
        Effect.fail(new GaveUp({ message: `Gave up after ${progress.seconds} s while ${progress.stage}: ${what}` }))
      )
  })
  yield* show
  return result
})
