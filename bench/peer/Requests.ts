import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { times } from "../Ratio.ts"
import { connections, type Once, wire } from "./Load.ts"
import type { Customer, Program, Site } from "./Site.ts"

const keyHeader = ({ key }: Customer) => ({ "x-api-key": key })

const body = (offer_id: number) => ({
  offer_id,
  payment_method: "wallet",
  protocol: "HTTP",
  quantity: 1,
  period_days: 30
})

interface Offer {
  readonly id: number
  readonly name: string
}

/** The names of an offer of the instant provider, and of one of the gateway. */
const offerNames = { instant: "Datacenter 0", gateway: "Datacenter IPv4, United States" }

const offersOf = (catalog: string): ReadonlyArray<Offer> =>
  JSON.parse(catalog).kinds.flatMap(({ offers }: { readonly offers: ReadonlyArray<Offer> }) => offers)

/** The requests to a program, over one connection for each lane. */
export const requests = Effect.fnUntraced(function* ({ port }: Program, { buyers, orderIds, owner }: Site) {
  const lane = yield* connections(port, buyers.length)
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
  const offers = offersOf(shown.body)
  const offerId = (name: string) => offers.find((offer) => offer.name === name)?.id ?? Number.NaN
  const [instant, gateway] = [offerId(offerNames.instant), offerId(offerNames.gateway)]
  const single = orderIds.map((id) => wire("GET", `/v1/orders/${id}`, keyHeader(owner)))
  const list = wire("GET", "/v1/orders", keyHeader(owner))
  const order = (customer: Customer, key: string, offer = instant) =>
    wire("POST", "/v1/orders", { ...keyHeader(customer), "idempotency-key": key }, body(offer))
  const replayed = buyers.map((buyer) => order(buyer, randomUUID()))
  for (const n of times(buyers.length)) yield* Effect.promise(() => ask(201, (n) => replayed[n]!)(n))

  /** Buys a proxy and reads its order: both answers, which must be the same. */
  const bought = (offer: number) =>
    Effect.gen(function* () {
      const placed = yield* read(order(buyers[0]!, randomUUID(), offer))
      const [{ id, proxy_access }] = JSON.parse(placed.body)
      const found = yield* read(wire("GET", `/v1/orders/${id}`, keyHeader(buyers[0]!)))
      if (proxy_access.length === 0) return yield* Effect.die(new Error(`the order was not delivered: ${placed.body}`))
      return { id: String(id), placed: placed.body, found: `[${found.body}]` }
    })

  const { found, id, placed } = yield* bought(instant)
  let next = 0
  return {
    /** The answers, for comparison. An order must be delivered and its proxy readable. */
    answers: [
      shown.body,
      (yield* read(single[0]!)).body,
      (yield* read(list)).body,
      ...[placed, found].map((text) =>
        text
          .replaceAll(id, "id")
          .replaceAll(id.slice(-12), "id")
          .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "then")
      )
    ],
    instant,
    bought: bought(gateway),
    catalog: ask(200, () => catalog),
    unchanged: ask(304, () => known),
    single: ask(200, () => single[next++ % single.length]!),
    list: ask(200, () => list),
    place: ask(201, (lane) => order(buyers[lane]!, randomUUID())),
    placeAtGateway: ask(201, (lane) => order(buyers[lane]!, randomUUID(), gateway)),
    replay: ask(201, (lane) => replayed[lane]!, "idempotency-replayed: true")
  }
})
