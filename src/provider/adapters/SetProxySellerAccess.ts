import { Effect, Schema } from "effect"
import type { ProxyAccess } from "../ProxyProvider.ts"
import type { Login } from "../vendors/Vendor.ts"
import { refused, type VendorFailure } from "../vendors/VendorFailure.ts"
import type { SoldPurchase } from "../vendors/VendorPurchase.ts"
import type { ProxySellerClient } from "./ProxySellerClient.ts"
import { Authorization, type ProxySellerProxies } from "./ProxySellerProxies.ts"

export type SetAccess = (purchase: SoldPurchase, access: ProxyAccess) => Effect.Effect<void, VendorFailure>

const isFor =
  ({ password, username }: Login) =>
  (authorization: Authorization) =>
    authorization.active !== false && authorization.login === username && authorization.password === password

/**
 * Sets the logins and source addresses of an order, with one call for each difference. A repeated call finishes an
 * interrupted one.
 */
export const make = (client: ProxySellerClient, proxies: ProxySellerProxies): SetAccess => {
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

  const change = (id: string, { password, username }: Login) =>
    client.call({
      kind: "write",
      path: "auth/change",
      body: { id, active: true, login: username, password },
      schema: Schema.Unknown
    })

  const add = Effect.fnUntraced(function* (orderNumber: string, login: Login) {
    const body = { orderNumber, generateAuth: "N" }
    const { id } = yield* client.call({ kind: "write", path: "auth/add", body, schema: Authorization })
    yield* change(id, login)
  })

  /** Makes the first wanted login the oldest authorization, because `ProviderProxy` shows the oldest one. */
  const setLogins = Effect.fnUntraced(function* (
    orderNumber: string,
    have: ReadonlyArray<Authorization>,
    [first, ...others]: ReadonlyArray<Login>
  ) {
    const held = have.filter(({ login }) => login)
    const at = first === undefined ? held.length : Math.max(0, held.findIndex(isFor(first)))
    yield* Effect.forEach(held.slice(0, at), remove, { discard: true })
    if (first === undefined) return
    const [lead, ...rest] = held.slice(at)
    if (lead === undefined) yield* add(orderNumber, first)
    else if (!isFor(first)(lead)) yield* change(lead.id, first)
    const spare = rest.filter((authorization) => !others.some((login) => isFor(login)(authorization)))
    for (const login of others.filter((login) => !rest.some(isFor(login)))) {
      const { id } = spare.shift() ?? {}
      yield* id === undefined ? add(orderNumber, login) : change(id, login)
    }
    yield* Effect.forEach(spare, remove, { discard: true })
  })

  return Effect.fnUntraced(function* (purchase: SoldPurchase, { logins, whitelisted_ips }: ProxyAccess) {
    const row = yield* proxies.row(purchase)
    if (row === undefined) return yield* refused("the vendor does not have the proxy")
    const have = yield* proxies.authorizations(row.order_number)
    if (whitelisted_ips !== undefined) yield* setAddresses(row.order_number, have, whitelisted_ips)
    if (logins !== undefined) yield* setLogins(row.order_number, have, logins)
  })
}
