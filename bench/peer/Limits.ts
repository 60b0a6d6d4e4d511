import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { Client } from "pg"
import { times } from "../Ratio.ts"
import * as InstantProvider from "./InstantProvider.ts"
import type { Once } from "./Load.ts"
import type { Site } from "./Site.ts"
import * as Statements from "./Statements.ts"

const clients = ({ buyers, connection }: Site) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const { host, port, username: user, database } = connection
      const all = buyers.map(() => new Client({ host, port, user, database }))
      await Promise.all(all.map((client) => client.connect()))
      return all
    }),
    (all) => Effect.promise(() => Promise.all(all.map((client) => client.end())))
  )

/** The bare statements of the routes, one client for each lane. */
export const limits = Effect.fnUntraced(function* (site: Site, offer_id: number) {
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
  for (const n of times(kept.length)) yield* Effect.promise(() => buy(n, kept[n]!))
  let next = 0
  return {
    single: (n) => run(n, Statements.orderById, [orderIds[next++ % orderIds.length]]),
    list: async (n) => {
      await run(n, Statements.orderTotal, [owner.user_id])
      await run(n, Statements.orderPage, [owner.user_id, 50, 0])
    },
    place: (n) => buy(n, randomUUID()),
    replay: (n) => run(n, Statements.findClaim, [buyers[n]!.user_id, kept[n]])
  } satisfies Record<string, Once>
})
