import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { UserId } from "../../accounts/User.ts"
import type { Page } from "../../platform/fields/Page.ts"
import * as Rows from "../../platform/postgres/Rows.ts"
import type { WalletTransactionId } from "../WalletTransaction.ts"
import { DocumentNumber, Invoice, type InvoiceNumber } from "./Invoice.ts"

export interface DocumentFilter {
  /** A number, the email of an account, or the id of an account or of a ledger entry. */
  readonly q?: string | undefined
  readonly kind?: Invoice["kind"] | undefined
  /** The last number of the page before. */
  readonly after?: InvoiceNumber | undefined
}

const isId = Schema.is(UserId)
const isNumber = Schema.is(DocumentNumber)

/** The documents of the accounts. A document of another account is not found. */
export class InvoicesRepo extends Context.Service<InvoicesRepo>()("app/wallet/InvoicesRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const all = Rows.all(Invoice)
    const first = Rows.first(Invoice)
    const readCount = Rows.one(Schema.Struct({ total: Schema.Int }))
    const count = (rows: Statement.Fragment) =>
      Effect.map(readCount(sql`SELECT count(*)::int AS total FROM invoice i WHERE ${rows}`), ({ total }) => total)

    const documents = sql`
      SELECT i.number, i.kind, i.corrects, i.cause, i.user_id, i.transaction_id, i.issued_at,
        (i.body->>'paid_at')::timestamptz AS paid_at, i.body->'seller' AS seller, i.body->'buyer' AS buyer,
        i.body->'lines' AS lines, i.currency, i.total, i.net, i.tax, i.body->'tax' AS tax_rule,
        CASE i.kind WHEN 'invoice' THEN coalesce(b.claimed, 0) ELSE 0 END::bigint AS reversed,
        i.body->>'payment_method' AS payment_method, i.is_sandbox, i.sha256
      FROM invoice i JOIN payment_charge c USING (transaction_id)
      LEFT JOIN LATERAL (
        SELECT claimed FROM payment_taken_back t
        WHERE t.payment_method = c.payment_method AND t.charge_id = c.charge_id
      ) b ON true
    `
    /** The invoices that no other one replaces: one for each payment. */
    const standing = sql`
      i.kind = 'invoice' AND NOT EXISTS (SELECT FROM invoice n WHERE n.kind = 'invoice' AND n.corrects = i.number)
    `
    const newestFirst = sql`ORDER BY i.issued_at DESC, i.number DESC`

    /** Each kind of text has its index. */
    const matches = (q: string) => {
      if (isId(q)) return sql`(i.user_id = ${q}::uuid OR i.transaction_id = ${q}::uuid)`
      if (isNumber(q.toUpperCase())) return sql`i.number = ${q.toUpperCase()}`
      return sql`i.user_id = (SELECT id FROM user_account WHERE email = ${q.toLowerCase()})`
    }

    return {
      find: (user_id: UserId, number: InvoiceNumber) =>
        first(sql`${documents} WHERE i.user_id = ${user_id} AND i.number = ${number}`),
      /** Finds a document of any account. */
      findAny: (number: InvoiceNumber) => first(sql`${documents} WHERE i.number = ${number}`),
      findOf: (user_id: UserId, id: WalletTransactionId) =>
        first(sql`${documents} WHERE i.user_id = ${user_id} AND i.transaction_id = ${id} AND ${standing}`),
      /** Lists the invoices of an account, newest first. */
      list: (user_id: UserId, { limit, offset }: Page) =>
        all(sql`
          ${documents} WHERE i.user_id = ${user_id} AND ${standing} ${newestFirst} LIMIT ${limit} OFFSET ${offset}
        `),
      count: (user_id: UserId) => count(sql`user_id = ${user_id} AND ${standing}`),
      /** Lists the invoices and the credit notes of an account, newest first. */
      documents: (user_id: UserId, { limit, offset }: Page) =>
        all(sql`${documents} WHERE i.user_id = ${user_id} ${newestFirst} LIMIT ${limit} OFFSET ${offset}`),
      countDocuments: (user_id: UserId) => count(sql`user_id = ${user_id}`),
      /** Lists the documents of all accounts, newest first. */
      search: ({ after, kind, q }: DocumentFilter, limit: number) =>
        all(sql`
          ${documents} WHERE ${sql.and([
            ...(q === undefined ? [] : [matches(q)]),
            ...(kind === undefined ? [] : [sql`i.kind = ${kind}`]),
            ...(after === undefined
              ? []
              : [sql`(i.issued_at, i.number) < (SELECT issued_at, number FROM invoice WHERE number = ${after})`]),
            sql`true`
          ])} ${newestFirst} LIMIT ${limit}
        `)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
