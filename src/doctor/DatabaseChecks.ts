import { Effect } from "effect"
import * as ConnectionNeeds from "../platform/postgres/ConnectionNeeds.ts"
import { PoolSize } from "../platform/postgres/Database.ts"
import { located } from "../platform/settings/StateDirectory.ts"
import { Names } from "../provider/adapters/ConfiguredProviders.ts"
import * as RealMoney from "../wallet/RealMoney.ts"
import { type Check, failed } from "./Check.ts"
import { DatabaseFacts } from "./DatabaseFacts.ts"
import { isSet } from "./IsSet.ts"
import { Machine } from "./Machine.ts"
import { NotKnown } from "./NotKnown.ts"

const facts = DatabaseFacts.use(({ read }) => read)
const isExternal = isSet("DATABASE_URL")

const usable: Check = {
  id: "db.usable",
  severity: "error",
  run: Effect.match(facts, { onFailure: ({ reason }) => failed(reason), onSuccess: () => undefined })
}

const embedded: Check = {
  id: "db.embedded",
  severity: "warning",
  run: Effect.gen(function* () {
    return (yield* isExternal) || (yield* RealMoney.gateways).length === 0
      ? undefined
      : failed(
          "DATABASE_URL is not set: accounts and money are in the embedded PostgreSQL, which is lost with this machine; use a PostgreSQL of your own, with backups"
        )
  })
}

const role: Check = {
  id: "db.role",
  severity: "warning",
  run: Effect.gen(function* () {
    // The embedded PostgreSQL has one role, and nobody else can reach it.
    if (!(yield* isExternal) || !(yield* facts).is_superuser) return undefined
    return failed(
      "The role of DATABASE_URL is a superuser, which can also change files of the database's machine; use a role that only owns the database"
    )
  })
}

const settings: Check = {
  id: "db.settings",
  severity: "error",
  run: Effect.map(facts, ({ unsafe_settings }) =>
    unsafe_settings.length === 0
      ? undefined
      : failed(`PostgreSQL has ${unsafe_settings.join(", ")} off, so a power cut loses committed money; turn it on`)
  )
}

const connections: Check = {
  id: "db.connections",
  severity: "warning",
  run: Effect.gen(function* () {
    const pool = yield* PoolSize
    const allowed = (yield* facts).connections
    // One service and one gateway.
    const needed = ConnectionNeeds.needed(2, pool)
    return allowed >= needed
      ? undefined
      : failed(
          `PostgreSQL allows ${allowed} connections, and a service with its gateway needs ${needed}; raise max_connections or lower DATABASE_POOL`
        )
  })
}

const gatewayRole: Check = {
  id: "db.gateway_role",
  severity: "warning",
  run: Effect.gen(function* () {
    const isShared = (yield* isExternal) && !(yield* isSet("GATEWAY_DATABASE_URL"))
    return isShared && (yield* Names).includes("gateway")
      ? failed(
          "GATEWAY_DATABASE_URL is not set: the gateway, which is open to the internet, can read all accounts and money; create a role with fewer privileges (docs/gateway.md)"
        )
      : undefined
  })
}

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

const gibibyte = 2 ** 30

const disk: Check = {
  id: "sys.disk",
  severity: "warning",
  run: Effect.gen(function* () {
    const directory = yield* Effect.catchTag(located, "StateDirectoryUnusable", ({ message }) =>
      Effect.fail(new NotKnown({ reason: message }))
    )
    const { freeBytes, totalBytes } = (yield* Machine).disk(directory)
    const left = `${(freeBytes / gibibyte).toFixed(1)} GiB are free on the disk of ${directory}`
    if (freeBytes < gibibyte)
      return failed(`Only ${left}, and the database stops when the disk is full; free some space`, "error")
    return freeBytes < totalBytes / 10 ? failed(`Only ${left}, less than a tenth of it; free some space`) : undefined
  })
}

const overdue: Check = {
  id: "ops.jobs",
  severity: "error",
  run: Effect.map(facts, ({ overdue }) =>
    overdue.length === 0
      ? undefined
      : failed(
          `Work has waited for a job for over ten minutes (${overdue.map(({ count, what }) => `${what}: ${count}`).join(", ")}); start the service, or search its log for errors`
        )
  )
}

export const checks: ReadonlyArray<Check> = [
  usable,
  embedded,
  role,
  settings,
  connections,
  gatewayRole,
  clock,
  disk,
  overdue
]
