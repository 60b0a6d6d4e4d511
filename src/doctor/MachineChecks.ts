import { Clock, DateTime, Effect, Option } from "effect"
import { HttpClient } from "effect/http"
import { located } from "../platform/settings/StateDirectory.ts"
import { Names } from "../provider/adapters/ConfiguredProviders.ts"
import * as IpRoyal from "../provider/adapters/IpRoyalClient.ts"
import * as ProxySeller from "../provider/adapters/ProxySellerClient.ts"
import * as GatewaySettings from "../wallet/GatewaySettings.ts"
import { type Check, failed } from "./Check.ts"
import { clockOff, DatabaseFacts } from "./DatabaseFacts.ts"
import { isSet } from "./IsSet.ts"
import { Machine } from "./Machine.ts"
import { NotKnown } from "./NotKnown.ts"
import { isLoopback } from "./PublicPlace.ts"

const facts = DatabaseFacts.use(({ read }) => read)

const clock: Check = {
  id: "sys.clock",
  severity: "error",
  run: Effect.map(facts, ({ clock_off_seconds }) =>
    clock_off_seconds <= 2
      ? undefined
      : failed(
          `The clocks of this machine and of the database differ by ${Math.round(clock_off_seconds)} seconds, so proxies end at a wrong time and signatures fail; synchronise both (NTP)`
        )
  )
}

/** The addresses of payment gateways and vendors, whose clocks do not depend on this machine. */
const outsiders = Effect.gen(function* () {
  const { btcpay, nowPayments, stripe, telegram } = yield* GatewaySettings.load
  const names = yield* Names
  const urls = [
    ...Option.toArray(stripe).map(({ api_url }) => api_url),
    ...Option.toArray(btcpay).map(({ url }) => url),
    ...Option.toArray(nowPayments).map(({ url }) => url),
    ...Option.toArray(telegram).map(({ api_url }) => api_url),
    ...(names.includes("iproyal") ? [(yield* IpRoyal.Settings).api_url] : []),
    ...(names.includes("proxy-seller") ? [(yield* ProxySeller.Settings).api_url] : [])
  ]
  return urls.map((url) => new URL(url)).filter(({ hostname }) => !isLoopback(hostname))
})

/** A `Date` has whole seconds (RFC 9110, section 5.6.7), so the clock was read up to one second later. */
const dateGrain = 1000

/** The seconds by which the clock of a server differs, by the `Date` of its answer. It gets neither path nor key. */
const secondsOff = Effect.fnUntraced(
  function* ({ origin }: URL) {
    const client = yield* HttpClient.HttpClient
    const before = yield* Clock.currentTimeMillis
    const { headers } = yield* client.head(origin)
    const after = yield* Clock.currentTimeMillis
    const date = yield* Effect.fromOption(DateTime.make(headers["date"] ?? ""))
    return clockOff(date.epochMilliseconds, before - dateGrain, after)
  },
  Effect.timeout("10 seconds"),
  Effect.option
)

const clockOutside: Check = {
  id: "sys.clock_outside",
  severity: "error",
  asksOutside: true,
  run: Effect.gen(function* () {
    const asked = yield* outsiders
    if (asked.length === 0)
      return yield* new NotKnown({
        reason: "no payment gateway or vendor of another machine is configured to compare with"
      })
    const told = (yield* Effect.forEach(asked, secondsOff, { concurrency: "unbounded" })).flatMap(Option.toArray)
    if (told.length === 0)
      return yield* new NotKnown({ reason: `no answer with a time from ${asked.map(({ host }) => host).join(", ")}` })
    // Another server may be wrong, so this machine is only wrong when it agrees with none.
    const off = Math.min(...told)
    return off <= 5
      ? undefined
      : failed(
          `The clock of this machine differs by ${Math.round(off)} seconds from the clocks of ${asked.map(({ host }) => host).join(", ")}, so proxies end at a wrong time and payment reports are refused; synchronise it (NTP)`
        )
  })
}

const directory = Effect.catchTag(located, "StateDirectoryUnusable", ({ message }) =>
  Effect.fail(new NotKnown({ reason: message }))
)

const state: Check = {
  id: "sys.state",
  severity: "blocker",
  run: Effect.gen(function* () {
    if (yield* isSet("DATABASE_URL")) return undefined
    const place = yield* directory
    const passing = (yield* Machine).passingFileSystem(place)
    return passing === undefined
      ? undefined
      : failed(
          `${place} (DATA_DIR) is ${passing}, and it holds the embedded PostgreSQL: accounts, money, and the keys that sign sessions; put it on a disk or a volume, or set DATABASE_URL`
        )
  })
}

const gibibyte = 2 ** 30

const disk: Check = {
  id: "sys.disk",
  severity: "warning",
  run: Effect.gen(function* () {
    const place = yield* directory
    const { freeBytes, totalBytes } = (yield* Machine).disk(place)
    const left = `${(freeBytes / gibibyte).toFixed(1)} GiB are free on the disk of ${place}`
    if (freeBytes < gibibyte)
      return failed(`Only ${left}, and the database stops when the disk is full; free some space`, "error")
    return freeBytes < totalBytes / 10 ? failed(`Only ${left}, less than a tenth of it; free some space`) : undefined
  })
}

export const checks: ReadonlyArray<Check> = [clock, clockOutside, state, disk]
