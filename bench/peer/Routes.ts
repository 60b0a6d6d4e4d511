import { Effect } from "effect"
import { isDeepStrictEqual } from "node:util"
import * as HeldPorts from "./HeldPorts.ts"
import { limits } from "./Limits.ts"
import type { Once } from "./Load.ts"
import { requests } from "./Requests.ts"
import type { Program, Site } from "./Site.ts"

export const sides = ["service", "workers", "peer", "nest", "limit"] as const
export type Side = (typeof sides)[number]

/** A side of a route. A bare statement has no program. */
interface Subject {
  readonly once: Once
  readonly program?: Program
}

export interface Route {
  readonly label: string
  readonly lanes: number
  /** The share of the peer's rate that the service must reach, at least. */
  readonly ofPeer?: number
  /** The share of the bare statement's rate that the service must reach. */
  readonly ofLimit?: number
  /** True when the p95 may hardly grow with the table of orders. */
  readonly grows?: boolean
  /** Runs before each measurement of the service. */
  readonly prepare?: Effect.Effect<unknown>
  readonly subjects: Partial<Record<Side, Subject>>
}

/** Fails when two programs answer the same request differently. */
const compare = (ours: ReadonlyArray<string>, theirs: ReadonlyArray<string>) =>
  Effect.forEach(
    ours,
    (answer, n) =>
      isDeepStrictEqual(JSON.parse(answer), JSON.parse(theirs[n] ?? ""))
        ? Effect.void
        : Effect.die(new Error(`they answer differently: ${answer} and ${theirs[n]}`)),
    { discard: true }
  )

/** The measurements of a site, after a check that all programs answer the same. */
export const routes = Effect.fnUntraced(function* (site: Site) {
  const service = yield* requests(site.service, site)
  const peer = yield* requests(site.peer, site)
  const nest = site.nest && (yield* requests(site.nest, site))
  const workers = site.workers && (yield* requests(site.workers, site))
  for (const other of [workers, peer, nest]) if (other !== undefined) yield* compare(service.answers, other.answers)
  const bare = yield* limits(site, service.instant)

  type Name = keyof typeof service & ("catalog" | "unchanged" | keyof typeof bare)
  const subjects = (name: Name) => ({
    service: { once: service[name], program: site.service },
    peer: { once: peer[name], program: site.peer },
    ...(nest && { nest: { once: nest[name], program: site.nest! } }),
    ...(name === "catalog" || name === "unchanged" ? {} : { limit: { once: bare[name] } })
  })
  const [lanes = 1, ...moreLanes] = site.lanes
  const all: Array<Route> = [
    { label: "GET /catalog, 200", lanes, ofPeer: 1, subjects: subjects("catalog") },
    { label: "GET /catalog, 304", lanes, ofPeer: 1, subjects: subjects("unchanged") },
    { label: "GET /orders/{id}", lanes, ofPeer: 1.2, grows: true, subjects: subjects("single") },
    { label: "GET /orders", lanes, ofPeer: 1, grows: true, subjects: subjects("list") },
    { label: "POST /orders", lanes, ofPeer: 1, ofLimit: 0.35, grows: true, subjects: subjects("place") },
    { label: "POST /orders, replay", lanes, ofPeer: 1.2, grows: true, subjects: subjects("replay") }
  ]
  const twoWorkers = (name: "single" | "place") =>
    workers && { workers: { once: workers[name], program: site.workers! } }
  const [single, place] = [subjects("single"), subjects("place")]
  for (const lanes of moreLanes)
    all.push(
      {
        label: `GET /orders/{id}, ${lanes} lanes`,
        lanes,
        ofPeer: 1,
        subjects: { service: single.service, peer: single.peer, ...twoWorkers("single") }
      },
      {
        label: `POST /orders, ${lanes} lanes`,
        lanes,
        ofPeer: 1,
        subjects: {
          service: place.service,
          peer: place.peer,
          limit: { once: bare.place },
          ...twoWorkers("place")
        }
      }
    )
  if (!site.gateway) return all

  const { startOver } = yield* HeldPorts.hold(site)
  yield* service.bought
  for (const lanes of site.lanes)
    all.push({
      label: `POST /orders, gateway${lanes === site.lanes[0] ? "" : `, ${lanes} lanes`}`,
      lanes,
      prepare: startOver,
      subjects: { service: { once: service.placeAtGateway, program: site.service }, peer: place.peer }
    })
  return all
})
