import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Config, Effect, Layer, Schema } from "effect"
import { UserId } from "../../src/accounts/User.ts"
import { Idempotency } from "../../src/idempotency/Idempotency.ts"
import { Blocklists } from "../../src/ip-check/blocklists/Blocklists.ts"
import { IpCheckQuota } from "../../src/ip-check/IpCheckQuota.ts"
import { IpChecks } from "../../src/ip-check/IpChecks.ts"
import { IpCheckSettlement } from "../../src/ip-check/IpCheckSettlement.ts"
import { IpChecksRepo } from "../../src/ip-check/IpChecksRepo.ts"
import { IpVendors } from "../../src/ip-check/vendors/IpVendors.ts"
import { Notifications } from "../../src/notifications/Notifications.ts"
import { Orders } from "../../src/orders/Orders.ts"
import * as Database from "../../src/platform/postgres/Database.ts"
import { PublicIp } from "../../src/platform/outbound/PublicAddress.ts"
import { VerifiedBuyers } from "../../src/wallet/VerifiedBuyers.ts"
import { Wallets } from "../../src/wallet/Wallets.ts"
import { report } from "./MemoryIpVendors.ts"

/** A process that makes one check in the database at `DATABASE_URL`, and kills itself at the point `KILLED_AT`. */
const settings = Config.all({
  at: Config.Literals(["asked", "answered", "completed"], "KILLED_AT"),
  user: Config.String("USER_ID"),
  ip: Config.String("IP"),
  key: Config.String("KEY")
})

const database = Layer.unwrap(
  Effect.map(Config.Redacted("DATABASE_URL"), (url) => Database.layerPool({ url, maxConnections: 4 }))
)

const program = Effect.gen(function* () {
  const { at, ip, key, user } = yield* settings
  const killAt = (point: typeof at) => point === at && process.kill(process.pid, "SIGKILL")
  const killing = (point: typeof at) => Effect.sync(() => killAt(point))

  const outside = Layer.mergeAll(
    Layer.succeed(IpVendors, {
      labels: [],
      isSandbox: false,
      supports: () => true,
      canAnswer: () => Effect.succeed(true),
      ask: () => Effect.as(killing("asked"), [report("one")])
    }),
    Layer.succeed(Blocklists, { listings: () => (killAt("answered"), []) })
  )
  const settlement = Layer.effect(
    IpCheckSettlement,
    Effect.map(IpCheckSettlement, ({ complete, fail }) => ({
      complete: (...completed) => Effect.tap(complete(...completed), killing("completed")),
      fail
    }))
  ).pipe(Layer.provide(IpCheckSettlement.layer))
  const checks = IpChecks.layerNoDeps.pipe(
    Layer.provide([settlement, IpCheckQuota.layer, IpChecksRepo.layer, VerifiedBuyers.layer, outside]),
    Layer.provide([Idempotency.layer, Orders.layer]),
    Layer.provideMerge(Wallets.layer),
    Layer.provide(Notifications.layer),
    Layer.provide(database)
  )

  const caller = {
    user_id: UserId.make(user),
    credential: { _tag: "session" as const, session_id: user }
  }
  return yield* Effect.provide(
    IpChecks.use((service) => service.check(caller, Schema.decodeSync(PublicIp)(ip), key)),
    checks
  )
})

NodeRuntime.runMain(program)
