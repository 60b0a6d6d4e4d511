import { Effect, Schema } from "effect"
import type { ProxyAccess } from "../ProxyProvider.ts"
import type { Sold } from "../Vendor.ts"
import { refused } from "../VendorFault.ts"
import type { ProxySellerClient } from "./ProxySellerClient.ts"
import { Authorization, type ProxySellerProxies } from "./ProxySellerProxies.ts"

type Login = NonNullable<ProxyAccess["logins"]>[number]

const isFor =
  ({ password, username }: Login) =>
  (authorization: Authorization) =>
    authorization.active !== false && authorization.login === username && authorization.password === password

/**
 * Makes the authorizations of an order those that are wanted, one call for each that differs: what was cut off half
 * way is finished by doing it again.
 */
export const make = (client: ProxySellerClient, proxies: ProxySellerProxies) => {
  const remove = ({ id }: Authorization) =>
    client.call({ kind: "write", method: "DELETE", path: "auth/delete", body: { id }, schema: Schema.Unknown })

  const setAddresses = Effect.fnUntraced(function* (
    orderNumber: string,
    have: ReadonlyArray<Authorization>,
    wanted: ReadonlyArray<string>
  ) {
    const held = have.filter(({ active, ip }) => active !== false && ip)
    for (const ip of wanted.filter((ip) => !held.some((authorization) => authorization.ip === ip)))
      yield* client.call({
        kind: "write",
        path: "auth/add/ip",
        body: { orderNumber, ip },
        schema: Schema.Unknown
      })
    yield* Effect.forEach(
      have.filter(({ ip }) => ip && !wanted.includes(ip)),
      remove,
      { discard: true }
    )
  })

  const setLogins = Effect.fnUntraced(function* (
    orderNumber: string,
    have: ReadonlyArray<Authorization>,
    wanted: ReadonlyArray<Login>
  ) {
    const spare = have.filter(
      (authorization) => authorization.login && !wanted.some((one) => isFor(one)(authorization))
    )
    for (const login of wanted.filter((login) => !have.some(isFor(login)))) {
      const { id } =
        spare.shift() ??
        (yield* client.call({
          kind: "write",
          path: "auth/add",
          body: { orderNumber, generateAuth: "N" },
          schema: Authorization
        }))
      const body = { id, active: true, login: login.username, password: login.password }
      yield* client.call({ kind: "write", path: "auth/change", body, schema: Schema.Unknown })
    }
    yield* Effect.forEach(spare, remove, { discard: true })
  })

  return Effect.fnUntraced(function* (purchase: Sold, { logins, whitelisted_ips }: ProxyAccess) {
    const row = yield* proxies.row(purchase)
    if (row === undefined) return yield* refused("the vendor does not have the proxy")
    const have = yield* proxies.authorizations(row.order_number)
    if (whitelisted_ips !== undefined) yield* setAddresses(row.order_number, have, whitelisted_ips)
    if (logins !== undefined) yield* setLogins(row.order_number, have, logins)
  })
}
