import { hiddenExit, isLoopback, sharedMachine, soldTwice } from "../gateway/ExitAddresses.ts"
import type { ReadShop, ShopFault } from "./ReadShopFile.ts"

/** Something in a shop file that customers would get otherwise than it says. */
export interface FalseGoods {
  /** The check of `doctor` that finds the same in the database. */
  readonly check: "shop.demo" | "gateway.exits" | "gateway.exit_loopback" | "gateway.exit_private"
  readonly fault: ShopFault
}

/** The listed addresses of all pools, with their places in the file. */
const addressesOf = ({ pools }: ReadShop["shop"]) =>
  Object.entries(pools).flatMap(([name, { exits }]) =>
    exits === "machine" ? [] : exits.map((ip, index) => ({ ip, path: ["pools", name, "exits", index] }))
  )

const unique = <A>(all: ReadonlyArray<A>) => [...new Set(all)]

/**
 * Articles of several countries or kinds that leave from the machine's own address: the fault is at the second pool. And
 * these addresses in another pool.
 */
const ofMachine = ({ faultAt, shop }: ReadShop, own: ReadonlyArray<string>): ReadonlyArray<FalseGoods> => {
  const sold = Object.values(shop.articles).flatMap(({ pool, state = "on" }) => {
    const from = shop.pools[pool]
    return state === "on" && from?.exits === "machine" ? [{ pool, goods: `${from.country} ${from.kind}` }] : []
  })
  const goods = unique(sold.map(({ goods }) => goods)).toSorted()
  const reason = sharedMachine(goods)
  const second = sold.find(({ goods }) => goods !== sold[0]?.goods)
  const twice = goods.length === 0 ? [] : addressesOf(shop).filter(({ ip }) => own.includes(ip))
  return [
    ...(reason === undefined || second === undefined ? [] : [faultAt(["pools", second.pool, "exits"], reason)]),
    ...twice.map(({ ip, path }) => faultAt(path, soldTwice([ip], goods)))
  ].map((fault) => ({ check: "gateway.exits", fault }))
}

/** Addresses from which proxies reach only this machine, or which destinations do not see. */
const ofAddresses = ({ faultAt, shop }: ReadShop): ReadonlyArray<FalseGoods> =>
  addressesOf(shop).flatMap(({ ip, path }): ReadonlyArray<FalseGoods> => {
    const hidden = hiddenExit(ip)
    if (hidden !== undefined) return [{ check: "gateway.exit_private", fault: faultAt(path, `${ip} is ${hidden}`) }]
    const looped = `${ip} is a loopback address, from which proxies reach only this machine`
    return isLoopback(ip) ? [{ check: "gateway.exit_loopback", fault: faultAt(path, looped) }] : []
  })

/**
 * Finds what customers would get otherwise than the file says. `is_demo`: the file is the demo shop. `own`: the addresses
 * from which proxies of the machine leave.
 */
export const falseGoods = (
  read: ReadShop,
  { is_demo, own }: { readonly is_demo: boolean; readonly own: ReadonlyArray<string> }
): ReadonlyArray<FalseGoods> => [
  ...(is_demo
    ? [{ check: "shop.demo" as const, fault: read.faultAt([], "The file is the demo shop; describe your own goods") }]
    : []),
  ...ofMachine(read, own),
  ...ofAddresses(read)
]
