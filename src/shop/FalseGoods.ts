import { isLoopback, sharedMachine } from "../gateway/ExitAddresses.ts"
import type { ReadShop, ShopFault } from "./ReadShopFile.ts"

/** Something in a shop file that customers would get otherwise than it says. */
export interface FalseGoods {
  /** The check of `doctor` that finds the same in the database. */
  readonly check: "shop.demo" | "gateway.exits" | "gateway.exit_loopback"
  readonly fault: ShopFault
}

const unique = <A>(all: ReadonlyArray<A>) => [...new Set(all)]

/** Articles of several countries or kinds that leave from the machine's own address. The fault is at the second pool. */
const ofMachine = ({ faultAt, shop: { articles, pools } }: ReadShop): ReadonlyArray<FalseGoods> => {
  const sold = Object.values(articles).flatMap(({ pool, state = "on" }) => {
    const from = pools[pool]
    return state === "on" && from?.exits === "machine" ? [{ pool, goods: `${from.country} ${from.kind}` }] : []
  })
  const reason = sharedMachine(unique(sold.map(({ goods }) => goods)).toSorted())
  const second = sold.find(({ goods }) => goods !== sold[0]?.goods)
  if (reason === undefined || second === undefined) return []
  return [{ check: "gateway.exits", fault: faultAt(["pools", second.pool, "exits"], reason) }]
}

const ofLoopback = ({ faultAt, shop: { pools } }: ReadShop): ReadonlyArray<FalseGoods> =>
  Object.entries(pools).flatMap(([name, { exits }]) =>
    exits === "machine"
      ? []
      : exits.flatMap((ip, index) =>
          isLoopback(ip)
            ? {
                check: "gateway.exit_loopback" as const,
                fault: faultAt(
                  ["pools", name, "exits", index],
                  `${ip} is a loopback address, from which proxies reach only this machine`
                )
              }
            : []
        )
  )

/** Finds what customers would get otherwise than the file says. `is_demo`: the file is the demo shop. */
export const falseGoods = (read: ReadShop, is_demo: boolean): ReadonlyArray<FalseGoods> => [
  ...(is_demo
    ? [{ check: "shop.demo" as const, fault: read.faultAt([], "The file is the demo shop; describe your own goods") }]
    : []),
  ...ofMachine(read),
  ...ofLoopback(read)
]
