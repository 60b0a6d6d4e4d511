import { Clock, Config, Effect, Option } from "effect"
import * as path from "node:path"
import * as ConnectionNeeds from "../platform/postgres/ConnectionNeeds.ts"
import { PoolSize } from "../platform/postgres/Database.ts"
import { integer } from "../platform/settings/IntegerSetting.ts"
import { Names } from "../provider/adapters/ConfiguredProviders.ts"
import * as RealMoney from "../wallet/RealMoney.ts"
import { type Check, failed } from "./Check.ts"
import { DatabaseFacts } from "./DatabaseFacts.ts"
import { isSet } from "./IsSet.ts"
import { Machine } from "./Machine.ts"

const facts = DatabaseFacts.use(({ read }) => read)
const isExternal = isSet("DATABASE_URL")
const leastPasswordDays = 14

/** First of all, because its failure leaves many other checks without an answer. */
export const usable: Check = {
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

const password: Check = {
  id: "db.password",
  severity: "warning",
  run: Effect.gen(function* () {
    const { password_valid_days: days } = yield* facts
    return days === null || days >= leastPasswordDays
      ? undefined
      : failed(
          `The password of the database's role is valid for ${Math.max(0, Math.floor(days))} more days (VALID UNTIL); then the service cannot connect; set another date (ALTER ROLE)`,
          days <= 0 ? "error" : undefined
        )
  })
}

/** `BACKUP_PATH`: a backup, or the directory of all backups. */
const BackupPath = Config.option(Config.NonEmptyString("BACKUP_PATH"))
/** `BACKUP_MAX_AGE_HOURS`: the greatest age of the newest backup. The default allows a daily backup to take two hours. */
const BackupAge = integer("BACKUP_MAX_AGE_HOURS", 1, 8760).pipe(Config.withDefault(26))

const hour = 3_600_000

const backup: Check = {
  id: "db.backup",
  severity: "error",
  run: Effect.gen(function* () {
    const place = Option.getOrUndefined(yield* BackupPath)
    if (place === undefined)
      return (yield* RealMoney.gateways).length === 0
        ? undefined
        : failed(
            "BACKUP_PATH is not set, so nothing tells whether there are backups of accounts and money; make one every day, and name their directory (docs/going-live.md)",
            "warning"
          )
    const newest = (yield* Machine).newestFile(path.resolve(place))
    if (newest === undefined)
      return failed(`There is no backup in ${place} (BACKUP_PATH); make one (docs/going-live.md)`)
    if (newest.bytes === 0) return failed(`The newest backup is empty: ${newest.path}; see why the dump fails`)
    const hours = Math.floor(((yield* Clock.currentTimeMillis) - newest.modifiedMillis) / hour)
    const most = yield* BackupAge
    return hours < most
      ? undefined
      : failed(
          `The newest backup is ${hours} hours old (${newest.path}), and BACKUP_MAX_AGE_HOURS is ${most}; see why none was made`
        )
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
  embedded,
  role,
  settings,
  connections,
  gatewayRole,
  password,
  backup,
  overdue
]
