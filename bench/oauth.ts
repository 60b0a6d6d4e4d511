import { NodeRuntime } from "@effect/platform-node"
import { ConfigProvider, Console, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { createLocalJWKSet, jwtVerify } from "jose"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { SigningKeys } from "../src/accounts/sessions/SigningKeys.ts"
import { AccessTokenVerifier } from "../src/oauth/AccessTokenVerifier.ts"
import { Clients } from "../src/oauth/Clients.ts"
import { CodeRedemption } from "../src/oauth/CodeRedemption.ts"
import { TokenRefresh } from "../src/oauth/TokenRefresh.ts"
import { Addresses } from "../src/platform/settings/Addresses.ts"
import * as Database from "../src/platform/postgres/Database.ts"
import * as EmbeddedPostgres from "../src/platform/postgres/EmbeddedPostgres.ts"
import * as Logging from "../src/platform/Logging.ts"
import { OutboundHttp } from "../src/platform/outbound/OutboundHttp.ts"
import { RateLimit } from "../src/platform/requests/RateLimit.ts"
import { compare, rate, times } from "./Ratio.ts"
import * as SeededConnections from "./SeededConnections.ts"

const verifications = 1000
const refreshes = 60
/** Concurrent refreshes, each of its own connection. */
const lanes = 8
/** Shares of the yardstick's rate that a machine keeps under any other load. */
const aims = { verification: 2, refresh: 0.07 }

const postgres = Effect.gen(function* () {
  const directory = yield* Effect.acquireRelease(
    Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "oauth-bench-"))),
    (directory) => Effect.sync(() => fs.rmSync(directory, { recursive: true, force: true }))
  )
  fs.chmodSync(directory, 0o755)
  return yield* EmbeddedPostgres.start({ directory })
})

const services = Layer.mergeAll(
  AccessTokenVerifier.layer,
  Clients.layer,
  CodeRedemption.layer,
  SigningKeys.layer,
  TokenRefresh.layer
).pipe(
  Layer.provideMerge(Addresses.layer),
  Layer.provide(RateLimit.layer),
  Layer.provide(OutboundHttp.layerWith({ allow: { has: () => false } })),
  Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord({})))
)

const verification = Effect.gen(function* () {
  const { verify } = yield* AccessTokenVerifier
  const { issuer, mcp_url } = yield* Addresses
  const { access_token } = yield* SeededConnections.connect
  const { jwks } = yield* SigningKeys
  const keys = createLocalJWKSet({ keys: [...(yield* jwks).keys] })
  const options = { algorithms: ["ES256"], typ: "at+jwt", issuer, audience: mcp_url, requiredClaims: ["exp"] }
  const verified = Effect.flatMap(verify(access_token), Effect.fromOption)
  const bare = Effect.promise(() => jwtVerify(access_token, keys, options))
  return yield* compare(
    "verifications of an access token",
    aims.verification,
    rate(verifications, 1, () => verified),
    rate(verifications, 1, () => bare)
  )
})

const refresh = Effect.fnUntraced(function* (atOnce: number) {
  const sql = yield* SqlClient.SqlClient
  const refreshTokens = yield* TokenRefresh
  const connections = yield* Effect.forEach(times(atOnce), () => SeededConnections.connect)
  const newest = connections.map(({ refresh_token }) => refresh_token)
  const refreshed = Effect.fnUntraced(function* (lane: number) {
    const { client } = yield* Effect.fromNullishOr(connections[lane])
    const { refresh_token } = yield* refreshTokens.refresh(client, {
      refresh_token: newest[lane] ?? "",
      scope: undefined,
      resource: undefined,
      client_address: "192.0.2.1"
    })
    newest[lane] = refresh_token ?? ""
  })
  const updated = Effect.fnUntraced(function* (lane: number) {
    const now = DateTime.toDate(yield* DateTime.now)
    const { connection_id } = yield* Effect.fromNullishOr(connections[lane])
    yield* sql`UPDATE oauth_connection SET last_used_at = ${now} WHERE id = ${connection_id} RETURNING id`
  })
  return yield* compare(
    atOnce === 1 ? "refreshes, one by one" : `refreshes, ${atOnce} at once`,
    aims.refresh,
    Effect.orDie(rate(Math.ceil(refreshes / Math.sqrt(atOnce)), atOnce, refreshed)),
    Effect.orDie(rate(Math.ceil(refreshes / Math.sqrt(atOnce)), atOnce, updated))
  )
})

const run = Effect.gen(function* () {
  const cpu = os.cpus()
  yield* Console.log(
    `${cpu.length} x ${cpu[0]?.model}, ${Math.round(os.totalmem() / 2 ** 30)} GiB, Node ${process.version}, load ${os
      .loadavg()
      .map((load) => load.toFixed(1))
      .join(" ")}\n`
  )
  const met = [yield* verification, yield* refresh(1), yield* refresh(lanes)]
  const missed = met.filter((isMet) => !isMet).length
  if (missed > 0) return yield* Effect.die(new Error(`${missed} of ${met.length} aims are missed`))
})

const main = Effect.gen(function* () {
  const database = yield* postgres
  yield* Effect.provide(run, Layer.provideMerge(services, Database.layerWith({ ...database, maxConnections: 16 })))
}).pipe(Effect.provide(Logging.layer), Effect.scoped, Effect.timeout("1 minute"))

NodeRuntime.runMain(main)
