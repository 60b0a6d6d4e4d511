import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { isDeepStrictEqual } from "node:util"
import { Client } from "pg"
import { connections, wire } from "./Load.ts"
import type { Customer, Site } from "./Site.ts"
import * as Statements from "./Statements.ts"
import * as InstantProvider from "./InstantProvider.ts"

/** The request of one lane, to each side. */
type Once = (lane: number) => Promise<void>

export interface Route {
  readonly label: string
  /** The share of the peer's rate that the service must reach, at least. */
  readonly ofPeer: number
  /** The share of the bare statement's rate that the service must reach. */
  readonly ofLimit?: number
  /** True when the route uses the table of orders, which may be large. */
  readonly grows: boolean
  readonly service: Once
  readonly peer: Once
  /** The bare statement. */
  readonly limit?: Once
}

type Program = Site["service"]

const keyHeader = ({ key }: Customer) => ({ "x-api-key": key })

const body = (offer_id: number) => ({
  offer_id,
  payment_method: "wallet",
  protocol: "HTTP",
  quantity: 1,
  period_days: 30
})

/** The connections of a side, one for each lane. */
const side = Effect.fnUntraced(function* ({ port }: Program, { buyers, lanes, orderIds, owner }: Site) {
  const lane = yield* connections(port, lanes)
  const ask = (status: number, request: (lane: number) => Buffer, field = "") => {
    const once: Once = async (n) => {
      const answer = await lane[n]!.ask(request(n))
      if (answer.status !== status || !answer.head.toLowerCase().includes(field))
        throw new Error(`expected ${status} ${field}, got: ${answer.head}`)
    }
    return once
  }
  const read = (request: Buffer) => Effect.promise(() => lane[0]!.ask(request, true))

  const catalog = wire("GET", "/v1/catalog", {})
  const shown = yield* read(catalog)
  const [, etag = ""] = /\r\netag: (.+?)\r\n/i.exec(`${shown.head}\r\n`) ?? []
  const known = wire("GET", "/v1/catalog", { "if-none-match": etag })
  const [offer] = JSON.parse(shown.body).kinds[0].offers
  const single = orderIds.map((id) => wire("GET", `/v1/orders/${id}`, keyHeader(owner)))
  const list = wire("GET", "/v1/orders", keyHeader(owner))
  const order = (customer: Customer, key: string) =>
    wire("POST", "/v1/orders", { ...keyHeader(customer), "idempotency-key": key }, body(offer.id))
  const replayed = buyers.map((buyer) => order(buyer, randomUUID()))
  for (const [n, request] of replayed.entries()) yield* Effect.promise(() => lane[n]!.ask(request))

  const placed = yield* read(order(buyers[0]!, randomUUID()))
  const [bought] = JSON.parse(placed.body)
  const found = yield* read(wire("GET", `/v1/orders/${bought.id}`, keyHeader(buyers[0]!)))
  let next = 0
  return {
    /** The answer, for comparison. An order must be delivered and its proxy readable. */
    answers: [
      shown.body,
      (yield* read(single[0]!)).body,
      (yield* read(list)).body,
      [placed.body, `[${found.body}]`].map((text) =>
        text
          .replaceAll(bought.id, "id")
          .replaceAll(bought.id.slice(-12), "id")
          .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "then")
      )
    ],
    catalog: ask(200, () => catalog),
    unchanged: ask(304, () => known),
    single: ask(200, () => single[next++ % single.length]!),
    list: ask(200, () => list),
    place: ask(201, (lane) => order(buyers[lane]!, randomUUID())),
    replay: ask(201, (lane) => replayed[lane]!, "idempotency-replayed: true"),
    offer
  }
})

const clients = ({ connection, lanes }: Site) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const { host, port, username: user, database } = connection
      const all = Array.from({ length: lanes }, () => new Client({ host, port, user, database }))
      await Promise.all(all.map((client) => client.connect()))
      return all
    }),
    (all) => Effect.promise(() => Promise.all(all.map((client) => client.end())))
  )

/** The bare statements of the routes, one client for each lane. */
const limits = Effect.fnUntraced(function* (site: Site, offer_id: number) {
  const { buyers, orderIds, owner } = site
  const lane = yield* clients(site)
  const run = async (n: number, statement: Statements.Prepared, values: ReadonlyArray<unknown>) => {
    const { rowCount } = await lane[n]!.query({ ...statement, values: [...values] })
    if (rowCount === 0) throw new Error(`${statement.name} did nothing`)
  }
  const buy = (n: number, key: string) => {
    const { api_key_id, user_id } = buyers[n]!
    return run(n, Statements.purchaseOnly, [
      user_id,
      1_500_000,
      new Date(),
      key,
      "0".repeat(64),
      randomUUID(),
      randomUUID(),
      "Datacenter, 1 month",
      api_key_id,
      offer_id,
      InstantProvider.name,
      "offer-0",
      "datacenter",
      "static",
      "IPv4",
      "HTTP",
      "US",
      30,
      1,
      false,
      null
    ])
  }
  const kept = buyers.map(() => randomUUID())
  for (const [n, key] of kept.entries()) yield* Effect.promise(() => buy(n, key))
  let next = 0
  const once = {
    single: (n) => run(n, Statements.orderById, [orderIds[next++ % orderIds.length]]),
    list: async (n) => {
      await run(n, Statements.orderTotal, [owner.user_id])
      await run(n, Statements.orderPage, [owner.user_id, 50, 0])
    },
    place: (n) => buy(n, randomUUID()),
    replay: (n) => run(n, Statements.findClaim, [buyers[n]!.user_id, kept[n]])
  } satisfies Record<string, Once>
  return once
})

/** The measurements of a site, after a check that both sides answer the same. */
export const routes = Effect.fnUntraced(function* (site: Site) {
  const [service, peer] = [yield* side(site.service, site), yield* side(site.peer, site)]
  const limit = yield* limits(site, service.offer.id)
  for (const [n, answer] of service.answers.entries()) {
    const [ours, theirs] = [answer, peer.answers[n]].map((text) => [text].flat().map((text) => JSON.parse(text ?? "")))
    if (!isDeepStrictEqual(ours, theirs))
      return yield* Effect.die(new Error(`they answer differently: ${answer} and ${peer.answers[n]}`))
  }
  const all: ReadonlyArray<Route> = [
    { label: "GET /catalog, 200", ofPeer: 2, grows: false, service: service.catalog, peer: peer.catalog },
    { label: "GET /catalog, 304", ofPeer: 2, grows: false, service: service.unchanged, peer: peer.unchanged },
    {
      label: "GET /orders/{id}",
      ofPeer: 1,
      grows: true,
      service: service.single,
      peer: peer.single,
      limit: limit.single
    },
    { label: "GET /orders", ofPeer: 1, grows: true, service: service.list, peer: peer.list, limit: limit.list },
    {
      label: "POST /orders",
      ofPeer: 1,
      ofLimit: 0.5,
      grows: true,
      service: service.place,
      peer: peer.place,
      limit: limit.place
    },
    {
      label: "POST /orders, replay",
      ofPeer: 1,
      grows: true,
      service: service.replay,
      peer: peer.replay,
      limit: limit.replay
    }
  ]
  return all
})
