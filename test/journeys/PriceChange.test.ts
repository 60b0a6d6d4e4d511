import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Layer, Schedule } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { run } from "../cli/CommandTesting.ts"
import * as RunningService from "../support/RunningService.ts"
import { clientOf, registered } from "./JourneyClient.ts"

const example = fs.readFileSync(new URL("../../shop.example.yaml", import.meta.url), "utf8")
const dearer = example.replace("name: 1 month, usd: 1.80", "name: 1 month, usd: 2.00")

/** Each customer orders every 400 milliseconds, so 20 customers order 50 times a second. */
const customers = 20
const pace = "400 millis"
/** Orders at each of the two prices. */
const atEach = 100
const ordersAtMost = 900
// No other test listens here, and the system gives these ports to no outgoing connection.
const first = 20_000 + Math.floor(Math.random() * 8_000)

const offerLine = "~ gateway datacenter-ipv4-us, Datacenter IPv4, United States"
/** A shop of the operator's own has no label of the demo. */
const described =
  "A static address with unlimited traffic. The proxy has no address of its own. Traffic leaves from the address of the gateway's machine, over IPv4 where the destination supports it."
const labelLine = `    description: "Demo: not a real offer. ${described}" → "${described}"`
const priceLine = "    1 month (30 days): 1.80 USD or 139 stars → 2.00 USD or 139 stars"

interface Paid {
  readonly shown: number
  readonly paid: number
}

/** The tokens of customers with a thousand dollars each. */
const signUps = Effect.fnUntraced(function* (url: string) {
  return yield* Effect.forEach(Array.from({ length: customers }).keys(), (index) =>
    Effect.promise(async () => {
      const token = await registered(url, `customer-${index}@example.com`)
      const deposit = { amount: 1000, currency: "USD", payment_method: "card_gateway" }
      const { body } = await clientOf(url, token)("POST", "/payments/deposits", deposit)
      await fetch(body.payment_url, { method: "POST", body: new URLSearchParams({ outcome: "paid" }) })
      return token
    })
  )
})

/** Asks for the price, and orders within the time of the quote. */
const order = async (call: ReturnType<typeof clientOf>, offer_id: number): Promise<Paid> => {
  const body = { offer_id, payment_method: "wallet" }
  const quoted = await call("POST", "/orders/quote", body)
  assert.strictEqual(quoted.status, 200, JSON.stringify(quoted.body))
  const placed = await call("POST", "/orders", body)
  assert.strictEqual(placed.status, 201, JSON.stringify(placed.body))
  return { shown: quoted.body.total, paid: placed.body[0].total_usd }
}

interface Seen {
  readonly etag: string | null
  /** The price of the offer for a month. */
  readonly price: number
}

/** Reads a catalog as a client with a cache does, and keeps each version that it sees. */
const watch = (url: string, path: string, offer_id: number, seen: Array<Seen>) =>
  Effect.promise(async () => {
    const headers = { "if-none-match": seen.at(-1)?.etag ?? '"none"' }
    const { body, etag, status } = await clientOf(url)("GET", path, undefined, headers)
    if (status === 304) return
    const offer = body.kinds.flatMap(({ offers }: any) => offers).find(({ id }: any) => id === offer_id)
    seen.push({ etag, price: offer.options.find(({ period_days }: any) => period_days === 30).price })
  })

/** The plan names the changed prices, and the orders that keep theirs. */
const checkPlan = Effect.fnUntraced(function* ({ code, stderr, stdout }: Effect.Success<ReturnType<typeof run>>) {
  assert.strictEqual(code, 0, stderr)
  const running = stdout.split("\n").filter((line) => line.includes("running orders"))
  assert.lengthOf(running, 1)
  assert.match(running[0] ?? "", /^ {4}\d{3} running orders keep what they paid for$/)
  assert.include(stdout, `${offerLine}\n${labelLine}\n${priceLine}\n${running[0]}\n`)
  assert.include(stdout, "Only planned. To apply it: ")
})

const stateOf = Effect.fnUntraced(function* (url: string, token: string) {
  return yield* Effect.promise(async () => {
    const call = clientOf(url, token)
    const pages = [0, 100].map((offset) => call("GET", `/orders?limit=100&offset=${offset}`))
    const orders = (await Promise.all(pages)).flatMap(({ body }) => body.orders)
    return {
      totals: orders.map(({ total_usd }) => total_usd as number).toSorted(),
      balance: (await call("GET", "/wallet/balance?currency=USD")).body.balance as number
    }
  })
})

layer(Layer.empty, { excludeTestServices: true })("A price that changes while 50 orders a second are placed", (it) => {
  it.effect(
    "is paid as it was shown: the old one or the new one, and each entity tag changes once",
    () =>
      Effect.gen(function* () {
        const service = yield* RunningService.makeWith({
          env: {
            GATEWAY_PORTS: `${first}-${first + ordersAtMost + 50}`,
            RATE_LIMIT_PER_MINUTE: "100000",
            AUTH_RATE_LIMIT_FACTOR: "100"
          }
        })
        yield* service.start
        assert.include(service.output(), "the demo shop")
        const { directory, url } = service
        const file = path.join(directory, "shop.yaml")
        fs.writeFileSync(file, dearer)
        const shop = (does: string) => run({ DATA_DIR: directory }, "shop", does, file)

        const tokens = yield* signUps(url)
        const filtered = "/catalog?kind=datacenter&country=US"
        const offers = yield* Effect.promise(() => clientOf(url)("GET", filtered))
        const offer_id = offers.body.kinds[0].offers.find((offer: any) => offer.ip_version === "IPv4").id

        const all: Array<Paid> = []
        const countAt = (price: number) => all.filter(({ paid }) => paid === price).length
        const isOver = () => countAt(2) >= atEach || all.length >= ordersAtMost
        const lane = (token: string) => {
          const mine: Array<Paid> = []
          const step = Effect.promise(async () => {
            const paid = await order(clientOf(url, token), offer_id)
            mine.push(paid)
            all.push(paid)
          })
          return step.pipe(Effect.repeat({ schedule: Schedule.fixed(pace), until: isOver }), Effect.as({ token, mine }))
        }
        const [whole, part]: [Array<Seen>, Array<Seen>] = [[], []]
        const watching = Effect.all([watch(url, "/catalog", offer_id, whole), watch(url, filtered, offer_id, part)])
        const placing = Effect.forEach(tokens, lane, { concurrency: customers })
        const operating = Effect.gen(function* () {
          yield* Effect.repeat(Effect.yieldNow, {
            schedule: Schedule.spaced(pace),
            until: () => countAt(1.8) >= atEach
          })
          yield* checkPlan(yield* shop("plan"))
          assert.strictEqual(countAt(2), 0, "plan changes nothing")
          const applied = yield* shop("apply")
          assert.strictEqual(applied.code, 0, applied.stderr)
          assert.include(applied.stdout, `${offerLine}\n${labelLine}\n${priceLine}\n`)
        })

        const began = yield* Clock.currentTimeMillis
        const [each] = yield* Effect.raceFirst(
          Effect.all([placing, operating], { concurrency: 2 }),
          Effect.repeat(watching, Schedule.spaced("20 millis")).pipe(Effect.andThen(Effect.never))
        )
        const seconds = ((yield* Clock.currentTimeMillis) - began) / 1000
        yield* watching

        const [before, after] = [countAt(1.8), countAt(2)]
        yield* Effect.logInfo(
          `${all.length} orders in ${seconds.toFixed(1)} s: ${Math.round(all.length / seconds)} a second; ${before} at 1.80, ${after} at 2.00`
        )
        assert.strictEqual(before + after, all.length, "one of the two prices")
        assert.isAtLeast(before, atEach)
        assert.isAtLeast(after, atEach)
        for (const { paid, shown } of all) assert.strictEqual(paid, shown)

        for (const { mine, token } of each) {
          const { balance, totals } = yield* stateOf(url, token)
          const paid = mine.map(({ paid }) => paid)
          assert.deepStrictEqual(totals, paid.toSorted())
          assert.closeTo(balance, 1000 - paid.reduce((sum, one) => sum + one, 0), 0.001)
        }
        for (const seen of [whole, part]) {
          assert.deepStrictEqual(
            seen.map(({ price }) => price),
            [1.8, 2],
            "one change"
          )
          assert.notStrictEqual(seen[0]?.etag, seen[1]?.etag)
        }
        const reconciled = yield* run({ DATA_DIR: directory }, "reconcile")
        assert.strictEqual(reconciled.code, 0, reconciled.stdout)
      }),
    240_000
  )
})
