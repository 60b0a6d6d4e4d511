import type { Answer } from "./Http.ts"

/** Somebody who buys, with what the service has given them. */
export interface Account {
  readonly id: string
  readonly email: string
  readonly api_key: string
  readonly isPoor: boolean
  readonly referral_code: string
  token: string
  /** True from the moment when its owner asks for its deletion. */
  hasLeft: boolean
}

/** A request that spends under an idempotency key, and the answer that was taken for it. */
export interface Purchase {
  readonly account: Account
  readonly key: string
  readonly path: string
  readonly body: unknown
  /** How many orders it makes; 0 for a change of one. */
  readonly quantity: number
  /** The order that it changes. */
  readonly order_id: string | null
  answer: Answer | undefined
}

/** A payment as its gateway has it: money that came in and was reported, as often as that took. */
export interface Payment {
  readonly intent: string
  readonly charge_id: string
  readonly amount: string
  readonly user_id: string
  /** Whether the service has confirmed a report. */
  isConfirmed: boolean
}

/** A reversal of a payment, as the gateway reported it. */
export interface Reversal {
  readonly reversal_id: string
  /** In dollars. */
  readonly amount: number
  readonly kind: "refund" | "dispute"
  /** True when it came to nothing in the end: when all did, the account may buy. */
  readonly isReturned: boolean
}

/** The reversals of one payment. */
export interface Chargeback {
  readonly user_id: string
  /** The dollars that the payment brought. */
  readonly whole: number
  readonly reversals: ReadonlyArray<Reversal>
  /** True when the service has confirmed each of the reports. */
  isConfirmed: boolean
  /** The status of the answer to an order after that. */
  orderedAfter: number | undefined
}

export const wasMade = ({ answer }: Purchase): boolean => answer !== undefined && answer.status < 300

/** Everything that the clients, the payment gateway and the webhook receiver have seen: what the database must agree with. */
export class Record {
  readonly purchases: Array<Purchase> = []
  readonly deposits: Array<string> = []
  readonly payments = new Map<string, Payment>()
  readonly chargebacks: Array<Chargeback> = []
  /** The accounts whose deletion was acknowledged. */
  readonly left: Array<string> = []
  readonly received = new Set<string>()
  /** What contradicts itself in the answers alone. */
  readonly contradictions: Array<string> = []
  /** Why a journey ended before its end. */
  readonly failures: Array<string> = []
  /** How many orders the service has acknowledged. */
  made = 0
  retries = 0

  get orders(): ReadonlyArray<Purchase> {
    return this.purchases.filter(({ quantity }) => quantity > 0)
  }

  get changes(): ReadonlyArray<Purchase> {
    return this.purchases.filter(({ quantity }) => quantity === 0)
  }
}
