import type { OfferName } from "./Command.ts"

export interface Entry {
  readonly type: "deposit" | "payment" | "refund" | "withdrawal"
  readonly cents: number
  status: "pending" | "completed" | "failed"
}

export interface Payment {
  /** Known once the service has answered it. */
  id: string
  readonly cents: number
  readonly entry: Entry
  readonly orders: ReadonlyArray<Order>
  readonly expires_at: number
  /** The time from which a job asks the gateway for the payment. */
  look_at: number
  status: "pending" | "paid" | "ended"
  isUnreported: boolean
}

export interface Order {
  /** Known once the service has answered it. */
  id: string
  readonly offer: OfferName
  readonly cents: number
  /** The payments for the delivered order and its changes, and the part of them that was returned. */
  paid: number
  returned: number
  /** The use of the promo code, shared by all orders of a request; null once the order was never delivered. */
  use: object | null
  readonly created_at: number
  status: string
  proxy_status: string
  auto_renew: boolean
  /** Never paid; a job removes it after a time. */
  is_abandoned: boolean
  started_at: number
  /** The times at which staff gave a month. */
  given: ReadonlyArray<number>
  expires_at: number
  renew_at: number
  /** The price of the last term without a discount, for each month or tariff. */
  last: number
  /** The announced price of the renewal, and the time from which it is charged. */
  announced: { readonly cents: number; readonly from: number } | undefined
}

/** An expected answer: its status, with the reason of a conflict or else the code of an error. */
export interface Answer {
  readonly status: number
  readonly reason?: string
  /** Orders and a payment that were created; the service chooses their ids. */
  readonly orders?: ReadonlyArray<Order>
  readonly payment?: Payment
  /** True when the answer repeats that of an earlier request with the key. */
  readonly repeats?: Kept
}

/** A key, and the answer to the request that used it. */
export interface Kept {
  readonly request: string
  readonly expires_at: number
  answer?: unknown
}
