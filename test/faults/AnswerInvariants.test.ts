import { assert, describe, it } from "@effect/vitest"
import { compare, type Facts, type OrderRow } from "../../faults/AnswerInvariants.ts"
import { type Account, type Purchase, Record } from "../../faults/Record.ts"
import { VendorBook } from "../../faults/VendorBook.ts"

const account: Account = {
  id: "me",
  email: "me@example.com",
  api_key: "key",
  isPoor: false,
  referral_code: "CODE",
  token: "token",
  hasLeft: false
}
const now = Date.UTC(2026, 0, 1, 12, 0, 0, 250)
const made = (body: unknown) => ({ status: 201, body, replayed: false })
const micros = 5_000_000
const taken = {
  id: "reversal",
  user_id: account.id,
  status: "taken",
  times: 1,
  debited: String(micros),
  is_stopped: true
}

const won = { ...taken, id: "dispute", status: "returned", times: 0, debited: "0" }

/** Two orders with a lease each, one of them extended; a deposit; an event. No invariant is broken. */
const world = () => {
  const book = new VendorBook(() => now)
  const leases = [book.sell("USA", "1m"), book.sell("DEU", "3m")] as const
  book.prolong(leases[0].proxy_id, "1m")
  const order = (index: 0 | 1, country: string, applied: number): OrderRow => ({
    id: `order${index}`,
    notes: `key${index}`,
    user_id: account.id,
    provider: "proxy-seller",
    status: "provisioned",
    provider_proxy_id: leases[index].order_id,
    country,
    created_at: new Date(now),
    expires_at: new Date(Math.floor(leases[index].end / 1000) * 1000),
    total: String(micros),
    applied
  })
  const orders: [OrderRow, OrderRow] = [order(0, "US", 1), order(1, "DE", 0)]
  const purchase = (key: string, order_id: string | null, body: unknown): Purchase => ({
    account,
    key,
    path: "/v1/orders",
    body: {},
    quantity: order_id === null ? 1 : 0,
    order_id,
    quoted: order_id === null ? { price: micros, until: now + 1000 } : undefined,
    answer: made(body)
  })
  const record = new Record()
  record.purchases.push(
    ...orders.map(({ id, notes }) => purchase(notes ?? "", null, [{ id }])),
    purchase("change", "order0", { id: "order0" })
  )
  record.deposits.push("deposit")
  record.payments.set("intent", {
    intent: "intent",
    charge_id: "charge",
    amount: "5.00",
    user_id: account.id,
    isConfirmed: true
  })
  record.chargebacks.push({
    user_id: account.id,
    whole: 5,
    reversals: [
      { reversal_id: "reversal", amount: 5, kind: "refund", isReturned: false },
      { reversal_id: "dispute", amount: 5, kind: "dispute", isReturned: true }
    ],
    isConfirmed: true,
    orderedAfter: 403
  })
  record.left.push("gone")
  record.received.add("event")
  const facts: Facts = {
    orders,
    credits: [{ charge: "charge", user_id: account.id, micros: String(micros), times: 1 }],
    reversals: [taken, won],
    gone: new Set(["gone"]),
    depositIds: new Set(["deposit"]),
    delivered: ["event"]
  }
  return { book, facts, leases, orders, record }
}
type World = ReturnType<typeof world>

const comparedBy = (forge: (world: World) => Partial<Facts> | void) => {
  const forged = world()
  const facts = { ...forged.facts, ...forge(forged) }
  return compare(forged.record, forged.book, facts).map((violation) => violation.replace(/, such as .*/s, ""))
}

const reversed = "a payment that goes back is taken once, and stops its account"
const leasesDiffer = "the vendor's leases are the provisioned orders"
const changesDiffer = "the made changes are the acknowledged ones"

const swapped = ({ orders: [one, other] }: World) => [
  { ...one, provider_proxy_id: other.provider_proxy_id },
  { ...other, provider_proxy_id: one.provider_proxy_id }
]

describe("The record of customers, vendor and payment gateway", () => {
  it("agrees with a database that has lost and doubled nothing", () => {
    assert.deepStrictEqual(
      comparedBy(() => {}),
      []
    )
  })

  it.each<[string, (world: World) => Partial<Facts> | void, ReadonlyArray<string>]>([
    [
      "an acknowledged order that is not there",
      ({ book, leases, orders: [one] }) => {
        book.changeLogin(book.authorizations[leases[1].number - 1]!.id, "released", "released")
        return { orders: [one] }
      },
      ["every acknowledged order exists: 1", "the orders are those of the distinct idempotency keys: 1"]
    ],
    [
      "an order above its quote",
      ({ orders: [one, other] }) => ({ orders: [{ ...one, total: String(micros + 1) }, other] }),
      ["an order pays at most its quote: 1"]
    ],
    [
      "an order above a quote that has ended",
      ({ orders: [one, other] }) => ({
        orders: [{ ...one, total: String(micros + 1), created_at: new Date(now + 1000) }, other]
      }),
      []
    ],
    [
      "an acknowledged order of somebody else",
      ({ orders: [one, other] }) => ({ orders: [one, { ...other, user_id: "you" }] }),
      ["every acknowledged order exists: 1"]
    ],
    [
      "an acknowledged deposit that is not there",
      () => ({ depositIds: new Set() }),
      ["every acknowledged deposit exists: 1"]
    ],
    ["a reversal that is not on record", () => ({ reversals: [] }), [`${reversed}: 1`]],
    [
      "a reversal that nobody reported",
      () => ({ reversals: [taken, won, { ...taken, id: "another" }] }),
      [`${reversed}: 1`]
    ],
    [
      "a reversal of somebody else's payment",
      () => ({ reversals: [{ ...taken, user_id: "you" }, won] }),
      [`${reversed}: 1`]
    ],
    ["a reversal that took too little", () => ({ reversals: [{ ...taken, debited: "1" }, won] }), [`${reversed}: 1`]],
    [
      "a reversal that was taken twice",
      () => ({ reversals: [{ ...taken, times: 2, debited: String(2 * micros) }, won] }),
      [`${reversed}: 1`]
    ],
    [
      "a reversal that gave back what another claims",
      () => ({ reversals: [taken, { ...won, debited: String(-micros) }] }),
      [`${reversed}: 1`]
    ],
    ["a reversal that stops nobody", () => ({ reversals: [{ ...taken, is_stopped: false }, won] }), [`${reversed}: 1`]],
    [
      "an order of an account that is stopped",
      ({ record }) => void (record.chargebacks[0]!.orderedAfter = 201),
      [`${reversed}: 1`]
    ],
    [
      "an acknowledged deletion of an account that is there",
      () => ({ gone: new Set() }),
      ["every acknowledged deletion of an account was made: 1"]
    ],
    ["a change that nobody was told of", ({ record }) => void record.purchases.pop(), [`${changesDiffer}: 1`]],
    [
      "an acknowledged change that was not made",
      ({ orders: [one, other] }) => ({ orders: [{ ...one, applied: 0 }, other] }),
      [`${changesDiffer}: 1`, "the vendor prolonged the paid extensions: 1"]
    ],
    [
      "a delivered event that has not arrived",
      ({ record }) => record.received.clear(),
      ["every delivered event has arrived: 1"]
    ],
    [
      "a journey that has failed",
      ({ record }) => void record.failures.push("why"),
      ["every journey comes to its end: 1"]
    ],
    ["a lease that nobody owns", ({ book }) => void book.sell("USA", "1m"), [`${leasesDiffer}: 1`]],
    [
      "two orders with each other's lease",
      (world) => ({ orders: swapped(world) }),
      [`${leasesDiffer}: 2`, "the vendor prolonged the paid extensions: 2"]
    ],
    [
      "a shared lease",
      ({ book, orders: [one, other] }) => {
        book.changeLogin(book.authorizations[1]!.id, "released", "released")
        const { country, expires_at, provider_proxy_id } = one
        return { orders: [one, { ...other, country, expires_at, provider_proxy_id, applied: 1 }] }
      },
      [`${changesDiffer}: 1`, `${leasesDiffer}: 1`]
    ],
    [
      "an order that ends a second after its lease",
      ({ orders: [one, other] }) => ({
        orders: [one, { ...other, expires_at: new Date((other.expires_at?.getTime() ?? 0) + 1000) }]
      }),
      [`${leasesDiffer}: 1`]
    ],
    [
      "an order for another country than its lease",
      ({ orders: [one, other] }) => ({ orders: [one, { ...other, country: "US" }] }),
      [`${leasesDiffer}: 1`]
    ]
  ])("contradicts %s", (_, forge, broken) => {
    assert.deepStrictEqual(comparedBy(forge), broken)
  })
})
