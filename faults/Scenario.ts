import { Cause, Duration, Effect } from "effect"
import type { Aim } from "./Failpoints.ts"
import * as Journeys from "./Journeys.ts"
import { wasMade } from "./Record.ts"
import { GaveUp, waitsFor } from "./Waiting.ts"
import type { World } from "./World.ts"

/** How much happens in a run. */
export interface Extent {
  /** At least so many are made. */
  readonly orders: number
  /** No more are asked for after so many. */
  readonly seconds: number
  /** In seconds: a run that is not over then gives up. */
  readonly limit: number
  readonly aim: Aim
  /** Whether to go on, with orders enough, while points are aimed at that have not failed in each way. */
  readonly isThorough: boolean
  /** Whether processes are killed and restarted, and the database, at moments that nobody chose. */
  readonly isRough: boolean
  /** How many of a hundred orders are the vendor's. */
  readonly vendorShare: number
  /** The share of orders from the wallet that are changed afterwards. */
  readonly changeShare: number
  /** The share of purchases that the vendor refuses. */
  readonly refused: number
  /** Whether the vendor leaves us alone for hours after it has sold something. */
  readonly hasOutage: boolean
  /** How many times everything is down for eleven minutes until it has settled. */
  readonly outages: number
  readonly clients: number
}

const minute = 60_000
const wealth = 10_000
const accounts = { rich: 5, poor: 1 }

const setUp = Effect.fnUntraced(function* (
  { client, random, ready, receiverUrl }: World,
  { changeShare, vendorShare }: Extent
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
  const goods = yield* Journeys.goodsOf(client)
  return {
    goods,
    journeys: Journeys.make({ accounts: entered, client, goods, random, receiverUrl, vendorShare, changeShare })
  }
})

/**
 * Things that happen to a data center, at moments that nobody chose. Each leaves the service some time to work, however
 * slow the machine is.
 */
const roughness = Effect.fnUntraced(function* ({ crashDatabase, gateway, random, services }: World) {
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
    { what: crash, least: 20, most: 40 }
  ]
  // A start that takes too long ends the run elsewhere, and must not end the misfortunes in silence.
  const calm = Effect.forEach(services, ({ ready }) => Effect.exit(ready), { discard: true })
  for (const { least, most, what } of misfortunes) {
    const pause = Effect.suspend(() => Effect.sleep(`${random.between(least, most)} seconds`))
    yield* pause.pipe(Effect.andThen(calm), Effect.andThen(what), Effect.forever, Effect.forkScoped)
  }
  return () => crashes
})

/** The end of a run starts each process about as often: the slower its starts are, the more time it needs. */
const startsAtTheEnd = 6

/** Customers come and go until enough was bought, and enough has failed. */
const load = Effect.fnUntraced(function* (
  world: World,
  extent: Extent,
  { any, each }: Journeys.Journeys,
  deadline: number
) {
  const { failpoints, meanStart, record, vendor } = world
  // Without any fault at first, so that the points are known.
  failpoints.aim("nothing")
  yield* Effect.all(each, { concurrency: 2, discard: true })
  const known = failpoints.known.points
  failpoints.aim(extent.aim, extent.seconds * 1000)
  vendor.control.isTroubled = true
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
      const crashes = extent.isRough ? yield* roughness(world) : () => 0
      yield* customers
      return crashes()
    })
  )
  failpoints.aim("nothing")
  vendor.control.isTroubled = false
  vendor.control.refused = 0
  return { crashes, known }
})

/** Whether everything has come to its end, the vendor's leases that nobody owns included. */
const hasSettled = Effect.fnUntraced(function* ({ keptLeases, provisionedAtVendor, unsettled }: World) {
  return (yield* unsettled).length === 0 && (yield* provisionedAtVendor) === keptLeases()
})

/** What is quick is done at once; then the slowest job, which comes once in a minute of the product, has time for a round. */
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
 * The vendor sells, and then does not answer for five hours: the orders are refunded. When it is back, the proxies that
 * nobody owns are given up.
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
  const made = record.purchases.filter((purchase) => wasMade(purchase) && !purchase.account.hasLeft)
  yield* Effect.forEach(made, client.replay, { concurrency: 16, discard: true })
  progress.stage = "settling"
  yield* settle(world, extent.outages)
  const open = record.purchases.filter(({ answer }) => answer === undefined)
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
    known,
    failpoints
  }
})

/** One run from its beginning to what it has shown. One that takes too long fails, and says what it waits for. */
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
