import type { OfferName } from "./Command.ts"

export interface Entry {
  readonly type: "deposit" | "payment" | "refund" | "withdrawal"
  readonly cents: number
  status: "pending" | "completed" | "failed"
}

export interface Payment {
  /** Once the service has said it. */
  id: string
  readonly cents: number
  readonly entry: Entry
  readonly orders: ReadonlyArray<Order>
  readonly expires_at: number
  status: "pending" | "paid" | "ended"
  isUnreported: boolean
}

export interface Order {
  /** Once the service has said it. */
  id: string
  readonly offer: OfferName
  readonly cents: number
  /** The use of the code, which all orders of a request share; none once the order has come to nothing. */
  use: object | null
  readonly created_at: number
  status: string
  proxy_status: string
  auto_renew: boolean
  /** It was never paid, and is removed after a time. */
  is_abandoned: boolean
  started_at: number
  expires_at: number
  renew_at: number
}

/** An expected answer: its status, with the reason of a conflict or else the code of an error. */
export interface Answer {
  readonly status: number
  readonly reason?: string
  /** Orders and payment that are made; the service chooses their ids. */
  readonly orders?: ReadonlyArray<Order>
  readonly payment?: Payment
  /** The answer is that of an earlier request with the key. */
  readonly repeats?: Kept
}

/** A key, and what was answered to the request that it was used for. */
export interface Kept {
  readonly request: string
  readonly expires_at: number
  answer?: unknown
}
