import { PgClient } from "@effect/sql-pg"
import { type Array as Arr, Context, DateTime, Effect, Layer, Option, Schema, Struct } from "effect"
import { UserId } from "../accounts/User.ts"
import type { Offer } from "../catalog/Offer.ts"
import { Claim, type ClaimingParts } from "../idempotency/Claim.ts"
import type { StatementPart } from "../platform/postgres/Atomically.ts"
import * as Rows from "../platform/postgres/Rows.ts"
import { type IfLocked, lockWaits } from "../platform/postgres/IfLocked.ts"
import type { BookingParts } from "../wallet/LedgerEntry.ts"
import type { PaymentIntentId } from "../wallet/PaymentIntent.ts"
import { Order, type OrderId, OrderRow, type PlacedOrder } from "./Order.ts"
import { ListedOrderRow, OrderDetailsRow } from "./OrderView.ts"

/** Limit of the orders of one payment. */
const paidTogether = 100

type NewOrders = Arr.NonEmptyReadonlyArray<PlacedOrder>

/** The outcome of a purchase. */
export type PurchaseOutcome =
  | { readonly _tag: "Bought" }
  /** An earlier request has the key. The claim is none when it was committed after this statement began. */
  | { readonly _tag: "Claimed"; readonly claim: Option.Option<Claim> }
  /** The offer has another price than the one that was agreed on, or its sale is paused. */
  | { readonly _tag: "Outdated" }
  /** The wallet cannot pay, or another transaction has locked it and the statement does not wait. */
  | { readonly _tag: "Unpaid" }

const Purchased = Schema.Struct({
  user_id: UserId,
  is_bought: Schema.Boolean,
  is_solvent: Schema.Boolean,
  is_outdated: Schema.Boolean,
  is_claimed: Schema.Boolean
})

/** The offer of a purchase as its buyer agreed to it. */
export interface AgreedOffer extends Pick<Offer, "priced_at"> {
  readonly user_id: UserId
  readonly offer_id: Offer["id"]
}

const PaidOrder = Schema.Struct(Struct.pick(Order.fields, ["id", "user_id", "offer_id"]))
/** An order, as the page of its payment links it. */
export type PaidOrder = typeof PaidOrder.Type
const readPaid = Rows.all(PaidOrder)

const readOne = Rows.first(OrderRow)
const readDetails = Rows.unchecked(OrderDetailsRow)
const readListed = Rows.first(ListedOrderRow, Rows.unchecked)
const readAll = Rows.all(OrderRow)
const decodePurchased = Schema.decodeUnknownEffect(Purchased)
const decodeClaim = Schema.decodeUnknownEffect(Claim)

const outcomeOf = Effect.fnUntraced(function* (row: unknown) {
  const { is_bought, is_claimed, is_outdated, is_solvent, user_id } = yield* decodePurchased(row)
  const outcome: PurchaseOutcome = is_bought
    ? { _tag: "Bought" }
    : is_claimed
      ? { _tag: "Claimed", claim: Option.some(yield* decodeClaim(row)) }
      : is_outdated
        ? { _tag: "Outdated" }
        : is_solvent
          ? { _tag: "Claimed", claim: Option.none() }
          : { _tag: "Unpaid" }
  return [user_id, outcome] as const
}, Effect.orDie)

const textOf = (amount: bigint | null) => (amount === null ? null : String(amount))

/** An order as JSON for `jsonb_populate_recordset`. Times become text on their own. */
const recordOf = ({
  cost_usd,
  discount,
  discount_usd,
  extra_total,
  extra_total_usd,
  total,
  total_usd,
  ...order
}: PlacedOrder) => ({
  ...order,
  cost_usd: textOf(cost_usd),
  discount: String(discount),
  discount_usd: String(discount_usd),
  extra_total: textOf(extra_total),
  extra_total_usd: textOf(extra_total_usd),
  total: String(total),
  total_usd: String(total_usd)
})

/**
 * The part `outdated` of a statement: the accounts whose offer has another price now, or is not sold for a while. A process
 * learns of a change a moment after its commit. A customer may have seen a new price already, and a pause holds at once.
 */
const outdatedIn = (sql: PgClient.PgClient) => (agreed: ReadonlyArray<AgreedOffer>) =>
  sql`
  outdated AS (
    SELECT a.user_id
    FROM jsonb_to_recordset(${sql.json(agreed)}) AS a (user_id uuid, offer_id integer, priced_at timestamptz)
      LEFT JOIN offer o ON o.id = a.offer_id
    WHERE a.priced_at IS DISTINCT FROM date_trunc('milliseconds', o.priced_at) OR o.paused
  )
`

export class OrdersRepo extends Context.Service<OrdersRepo>()("app/orders/OrdersRepo", {
  make: Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const columns = sql.literal(Rows.columnsOf(Order.insert))
    const listed = sql.literal(Rows.columnsOf(ListedOrderRow))
    const details = sql.literal(Rows.columnsOf(OrderDetailsRow))

    /** The parts `inserted` and `begun`: orders, and the first attempt of each paid one to provision it. */
    const inserting = (orders: NewOrders, when: StatementPart = sql`true`) => sql`
      inserted AS (
        INSERT INTO proxy_order (${columns})
        SELECT ${columns} FROM jsonb_populate_recordset(NULL::proxy_order, ${sql.json(orders.map(recordOf))})
        WHERE ${when}
        RETURNING id, provider, status, created_at
      ), begun AS (
        INSERT INTO provisioning_attempt (id, order_id, provider, started_at)
        SELECT gen_random_uuid(), id, provider, created_at FROM inserted WHERE status = 'paid'
      )
    `

    const outdated = outdatedIn(sql)

    return {
      /**
       * Buys the orders of several accounts in one statement: it locks each wallet that can pay, claims the idempotency
       * key when there is one, charges, and inserts the paid orders with their first attempts. Each account has one
       * purchase, which happens completely or not at all; not at all when its offer has another price or is paused.
       */
      purchase: Effect.fnUntraced(function* (
        orders: NewOrders,
        agreed: ReadonlyArray<AgreedOffer>,
        { booking, bookings, locking }: BookingParts,
        { claimed, earlier, wanted }: ClaimingParts,
        ifLocked: IfLocked
      ) {
        const isNew = sql`
          NOT EXISTS (SELECT FROM earlier e WHERE e.user_id = b.user_id)
          AND NOT EXISTS (SELECT FROM outdated u WHERE u.user_id = b.user_id)
        `
        const isAdmitted = sql`${isNew} AND ${sql.literal(lockWaits[ifLocked])}`
        const rows = yield* Effect.orDie(sql`
          WITH ${bookings}, ${wanted}, ${earlier}, ${outdated(agreed)}, ${locking(isAdmitted, ifLocked)},
            ${claimed(sql`k.user_id IN (SELECT user_id FROM payer)`)},
            admitted AS (
              SELECT p.user_id
              FROM payer p LEFT JOIN wanted k ON k.user_id = p.user_id LEFT JOIN claimed c ON c.user_id = p.user_id
              WHERE k.user_id IS NULL OR c.user_id IS NOT NULL
            ),
            ${booking(sql`booking b JOIN admitted a ON a.user_id = b.user_id`)},
            ${inserting(orders, sql`user_id IN (SELECT user_id FROM charged)`)}
          SELECT b.user_id, c.user_id IS NOT NULL AS is_bought, p.user_id IS NOT NULL AS is_solvent,
            EXISTS (SELECT FROM outdated u WHERE u.user_id = b.user_id) AS is_outdated,
            e.user_id IS NOT NULL AS is_claimed, e.request_hash, e.reference, e.answer, e.busy_until, e.expires_at
          FROM booking b LEFT JOIN charged c ON c.user_id = b.user_id LEFT JOIN payer p ON p.user_id = b.user_id
            LEFT JOIN earlier e ON e.user_id = b.user_id
        `)
        return new Map(yield* Effect.forEach(rows, outcomeOf))
      }),

      /** True when the offer has another price than the buyer agreed to, or is paused. */
      isOutdated: (agreed: AgreedOffer) =>
        Effect.map(Effect.orDie(sql`WITH ${outdated([agreed])} SELECT FROM outdated`), (rows) => rows.length > 0),

      /** Inserts orders. A paid order gets its first attempt to provision in the same statement. */
      insert: (orders: NewOrders) => Effect.orDie(sql`WITH ${inserting(orders)} SELECT id FROM inserted`),

      /** The orders of a payment from outside, oldest first. */
      ofPayment: (id: PaymentIntentId) =>
        readPaid(sql`
          SELECT id, user_id, offer_id FROM proxy_order WHERE payment_intent_id = ${id} ORDER BY id LIMIT ${paidTogether}
        `),

      find: (id: OrderId) => readOne(sql`SELECT * FROM proxy_order WHERE id = ${id}`),

      /** Returns the orders in the order of `ids`; none where an id is unknown. */
      findDetails: (ids: ReadonlyArray<OrderId>) =>
        Effect.map(readDetails(sql`SELECT ${details} FROM proxy_order WHERE id = ANY (${[...ids]}::uuid[])`), (rows) =>
          ids.map((id) => Option.fromUndefinedOr(rows.find((row) => row.id === id)))
        ),

      setNotes: (id: OrderId, notes: string | null, now: DateTime.Utc) =>
        readListed(sql`
          UPDATE proxy_order SET ${sql.update({ notes, updated_at: DateTime.toDate(now) })}
          WHERE id = ${id} RETURNING ${listed}
        `),

      findMany: (ids: ReadonlyArray<OrderId>) =>
        readAll(sql`SELECT * FROM proxy_order WHERE ${sql.in("id", ids)} ORDER BY id`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
