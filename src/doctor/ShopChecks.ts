import { Effect } from "effect"
import { type Check, failed } from "./Check.ts"
import { DatabaseFacts } from "./DatabaseFacts.ts"

const facts = DatabaseFacts.use(({ read }) => read)

const demo: Check = {
  id: "shop.demo",
  severity: "blocker",
  run: Effect.map(facts, ({ is_demo }) =>
    is_demo
      ? failed("The service sells the demo shop; describe your own in shop.yaml, and apply it (docs/shop.md)")
      : undefined
  )
}

const empty: Check = {
  id: "shop.empty",
  severity: "warning",
  run: Effect.map(facts, ({ offers_on_sale }) =>
    offers_on_sale === 0 ? failed("Nothing is on sale; describe what you sell in shop.yaml (docs/shop.md)") : undefined
  )
}

const address: Check = {
  id: "shop.address",
  severity: "error",
  run: Effect.map(facts, ({ articles_without_address: found }) =>
    found.length === 0
      ? undefined
      : failed(
          `The pool of ${found.join(", ")} has no address for it, so it is always sold out; add addresses to the pool, or set state: off`
        )
  )
}

const loss: Check = {
  id: "shop.loss",
  severity: "error",
  run: Effect.map(facts, ({ losing_offers: found }) =>
    found.length === 0
      ? undefined
      : failed(`These offers cost more than their price: ${found.join(", ")}; raise their price or markup in shop.yaml`)
  )
}

export const checks: ReadonlyArray<Check> = [demo, empty, address, loss]
