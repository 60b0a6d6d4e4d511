import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { ConfigProvider, Context, Effect, Exit, Layer, Option, Schedule, Scope } from "effect"
import { HttpRouter } from "effect/http"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import * as fs from "node:fs"
import * as http from "node:http"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { NodeAuthentication } from "../../../src/gateway/nodes/NodeAuthentication.ts"
import { Nodes } from "../../../src/gateway/nodes/Nodes.ts"
import { NodeSessions } from "../../../src/gateway/nodes/NodeSessions.ts"
import * as Gateway from "../../../src/gateway/process/Gateway.ts"
import * as ControlRemote from "../../../src/gateway/remote/ControlRemote.ts"
import * as NodesHttp from "../../../src/http/NodesHttp.ts"
import * as Server from "../../../src/http/Server.ts"
import { ClientAddress } from "../../../src/platform/requests/ClientAddress.ts"
import { RateLimit } from "../../../src/platform/requests/RateLimit.ts"
import { freePort } from "../../support/FreePort.ts"
import * as TestDatabase from "../../support/TestDatabase.ts"
import { rawOrigin } from "../Origin.ts"

/** The address of the centre, and a destination that sends everything back. */
export class Place extends Context.Service<
  Place,
  { readonly port: number; readonly url: string; readonly echo: number }
>()("test/Place") {
  static readonly layer = Layer.effect(
    Place,
    Effect.gen(function* () {
      const port = yield* freePort
      const echo = yield* Effect.acquireRelease(
        Effect.promise(() => rawOrigin((socket) => void socket.pipe(socket))),
        ({ close }) => Effect.sync(close)
      )
      return Place.of({ port, url: `http://127.0.0.1:${port}`, echo: echo.port })
    })
  )
}

const configured = (env: Record<string, string>) => ConfigProvider.layer(ConfigProvider.fromEnvRecord(env))

/** The services of the operator's commands, and a database. */
export const services = Layer.unwrap(
  Effect.map(Place, ({ url }) => Nodes.layer.pipe(Layer.provide(configured({ PUBLIC_URL: url }))))
).pipe(Layer.provideMerge([Place.layer, TestDatabase.layer]))

/** Runs a layer until `stop` runs or the test ends. */
const running = Effect.fnUntraced(function* <A, E, R>(layer: Layer.Layer<A, E, R>) {
  const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
  yield* Layer.buildWithScope(Layer.fresh(layer), scope)
  return { stop: Scope.close(scope, Exit.void) }
})

/** Runs the routes of nodes of the centre. */
export const startCentre = Effect.gen(function* () {
  const { port, url } = yield* Place
  return yield* running(
    HttpRouter.serve(NodesHttp.layer, { disableListenLog: true, disableLogger: true }).pipe(
      Layer.provide(Layer.suspend(() => Server.listening(http.createServer(), { host: "127.0.0.1", port }))),
      Layer.provide([ClientAddress.layer, NodeAuthentication.layer, NodeSessions.layer, RateLimit.layer]),
      Layer.provide(configured({ PUBLIC_URL: url }))
    )
  )
})

/** A directory for the state of a host. */
export const directory = Effect.acquireRelease(
  Effect.sync(() => fs.mkdtempSync(path.join(tmpdir(), "node-"))),
  (directory) => Effect.sync(() => fs.rmSync(directory, { recursive: true, force: true }))
)

interface Host {
  readonly name: string
  readonly directory: string
  /** The address that its ports listen on. */
  readonly bind: string
  readonly join?: string
}

/** Runs the gateway of a host. */
export const startNode = Effect.fnUntraced(function* ({ bind, directory, join, name }: Host) {
  const { echo } = yield* Place
  const env = { DATA_DIR: directory, GATEWAY_BIND: bind, GATEWAY_ALLOW: `127.0.0.1:${echo}`, CONNECTION_LOG_DAYS: "0" }
  const control = ControlRemote.layer({ name, join: Option.fromUndefinedOr(join) }).pipe(
    Layer.provide(NodeHttpClient.layerNodeHttp)
  )
  return yield* running(Gateway.layerWith(control).pipe(Layer.provide(configured(env))))
})

/** The word in the line that `nodes add` prints. */
export const add = (name: string) => Nodes.use(({ add }) => add(name, `${name}.example.com`))

export const login = { username: "customer", password: "secret-1" }

/** Sells a proxy on a node. */
export const sell = Effect.fnUntraced(function* (
  name: string,
  { limit = null, port }: { readonly limit?: number | null; readonly port: number }
) {
  const sql = yield* SqlClient.SqlClient
  const id = randomUUID()
  yield* sql`
    INSERT INTO gateway_proxy (id, reference, kind, country_code, ip_version, protocol, port, logins, limit_bytes, status,
      expires_at, created_at, updated_at, node_id)
    SELECT ${id}::uuid, ${randomUUID()}::uuid, 'residential', 'DE', 'IPv4', 'HTTP', ${port}::int,
      ${JSON.stringify([login])}::text::jsonb, ${limit}::bigint, 'open', '2100-01-01'::timestamptz, now(), now(), n.id
    FROM gateway_node n WHERE n.name = ${name}
  `
  return id
})

/** Repeats until it succeeds. */
export const eventually = <A>(attempt: () => Promise<A>, pause: "5 millis" | "20 millis" = "20 millis") =>
  Effect.tryPromise(attempt).pipe(
    Effect.retry(Schedule.spaced(pause).pipe(Schedule.upTo({ duration: "30 seconds" }))),
    Effect.orDie
  )

/** Repeats until a condition of the database is true. */
export const until = <E, R>(condition: Effect.Effect<boolean, E, R>) =>
  condition.pipe(
    Effect.filterOrFail((met) => met),
    Effect.retry(Schedule.spaced("20 millis").pipe(Schedule.upTo({ duration: "30 seconds" })))
  )
