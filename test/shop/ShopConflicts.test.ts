import { assert, it } from "@effect/vitest"
import { conflicts } from "../../src/shop/ShopConflicts.ts"
import { rowsOf } from "../../src/shop/ShopRows.ts"
import { demo } from "../support/GatewayShop.ts"

it("A shop file has at most 10,000 articles, with the removed ones that running orders may extend", () => {
  const wanted = rowsOf(demo.shop)
  const [article] = wanted.articles
  const removed = Array.from({ length: 9_981 }, (_, index) => ({ ...article!, id: `old-${index}` }))
  const faults = (articles: typeof removed) =>
    conflicts(demo, wanted, { pools: wanted.pools, articles, held: [], ordered: new Set() }).map(({ field }) => field)
  assert.deepStrictEqual(faults([...wanted.articles, ...removed.slice(1)]), [])
  assert.deepStrictEqual(faults([...wanted.articles, ...removed]), ["articles"])
  assert.deepStrictEqual(faults(removed.map((row) => ({ ...row, state: "off" }))), [])
})
