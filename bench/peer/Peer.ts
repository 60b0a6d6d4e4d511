import Fastify from "fastify"
import { randomUUIDv7 } from "node:crypto"
import { Pool } from "pg"
import { makeAccess, Refused } from "./PeerAccess.ts"
import { makeCatalog } from "./PeerCatalog.ts"
import { makeOrders } from "./PeerOrders.ts"
import type { Request } from "./PeerPurchase.ts"
import { orderRequest, orderSchemas } from "./PeerSchemas.ts"
import { answerBenchmark } from "./Usage.ts"

// The same routes over the same tables with Fastify and `pg`, in a separate process. `PORT` and `DATABASE_URL` as for
// the service.

answerBenchmark()

const url = new URL(process.env["DATABASE_URL"] ?? "")
const pool = new Pool({
  host: url.searchParams.get("host") ?? url.hostname,
  port: Number(url.searchParams.get("port")),
  user: url.searchParams.get("user") ?? url.username,
  database: url.pathname.slice(1),
  max: 20
})
const access = makeAccess(pool)
const catalog = await makeCatalog(pool)
const orders = makeOrders(pool, catalog)

const sane = /^[\w.~:+/=-]{1,128}$/

const app = Fastify({
  bodyLimit: 1 << 20,
  genReqId: ({ headers }) => {
    const given = headers["x-request-id"]
    return typeof given === "string" && sane.test(given) ? given : randomUUIDv7()
  }
})

/** Pages of any origin may call the API and read every header of its answers. */
const shared = { "access-control-allow-origin": "*", "access-control-expose-headers": "*" }

app.addHook("onRequest", async (request, reply) => void reply.headers({ "x-request-id": request.id, ...shared }))

app.setErrorHandler((error, request, reply) => {
  if (error instanceof Refused) return reply.status(error.statusCode).send({ detail: error.message, code: error.code })
  const isInvalid = error instanceof Error && "validation" in error
  if (!isInvalid) process.stderr.write(`${request.id} ${String(error)}\n`)
  return reply.status(isInvalid ? 422 : 500).send({ detail: isInvalid ? error.message : "Something went wrong" })
})

app.get("/v1/catalog", async (request, reply) => {
  access.anonymous(request, reply)
  const { body, etag } = catalog.current()
  void reply.headers({ etag, "cache-control": "no-cache" })
  if (request.headers["if-none-match"] === etag) return reply.status(304).send()
  return reply.type("application/json").send(body)
})

app.get<{ Params: { order_id: string } }>(
  "/v1/orders/:order_id",
  { schema: orderSchemas.get },
  async (request, reply) => {
    const account = await access.byKey(request, reply, "orders:read")
    return orders.get(account, request.params.order_id)
  }
)

app.get<{ Querystring: { limit: number; offset: number } }>(
  "/v1/orders",
  { schema: orderSchemas.list },
  async (request, reply) => {
    const account = await access.byKey(request, reply, "orders:read")
    return orders.list(account, request.query.limit, request.query.offset)
  }
)

app.post<{ Body: Request }>(
  "/v1/orders",
  { schema: { body: orderRequest, headers: orderSchemas.key, response: { 201: orderSchemas.placed } } },
  async (request, reply) => {
    const account = await access.byKey(request, reply, "orders:write")
    const placed = await orders.place(account, request.body, String(request.headers["idempotency-key"]))
    if (placed.replayed) void reply.header("idempotency-replayed", "true")
    return reply.status(201).send(placed.answer)
  }
)

await app.listen({ host: "127.0.0.1", port: Number(process.env["PORT"]) })
