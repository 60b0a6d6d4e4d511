import type { Answer } from "./Http.ts"

/** A customer's account, with its data from the service. */
export interface Account {
  readonly id: string
  readonly email: string
  readonly api_key: string
  readonly isPoor: boolean
  readonly referral_code: string
  token: string
  /** True from the moment when its owner asks for its deletion. */
  hasLeft: boolean
  /** True once a restriction of the account stays until the end. */
  isRestricted?: boolean
}

/** A request that spends under an idempotency key, and its final answer. */
export interface Purchase {
  readonly account: Account
  readonly key: string
  readonly path: string
  readonly body: unknown
  /** The number of orders that it makes; 0 for a change of an order. */
  readonly quantity: number
  /** The order that it changes. */
  readonly order_id: string | null
  /** The price that the customer was quoted, in micro-dollars, and a time until which it certainly holds. */
  readonly quoted?: { readonly price: number; readonly until: number } | undefined
  answer: Answer | undefined
}

/** A payment in the gateway's records: money that arrived and was reported, as often as necessary. */
export interface Payment {
  readonly intent: string
  readonly charge_id: string
  readonly amount: string
  readonly user_id: string
  /** True when the service has confirmed a report. */
  isConfirmed: boolean
}

/** A reversal of a payment, as the gateway reported it. */
export interface Reversal {
  readonly reversal_id: string
  /** In dollars. */
  readonly amount: number
  readonly kind: "refund" | "dispute"
  /** True when it came to nothing in the end. The account may buy when all reversals did. */
  readonly isReturned: boolean
}

/** The reversals of one payment. */
export interface Chargeback {
  readonly user_id: string
  /** The dollars of the payment. */
  readonly whole: number
  readonly reversals: ReadonlyArray<Reversal>
  /** True when the service has confirmed each of the reports. */
  isConfirmed: boolean
  /** The status of the answer to a later order. */
  orderedAfter: number | undefined
}

/** A restriction, and the answers to orders during it and after it. */
export interface Restriction {
  readonly user_id: string
  orderedDuring: number | undefined
  /** Undefined while it is not lifted. */
  orderedAfter: number | undefined
}

/** A card that pays by itself. */
export interface Card {
  readonly user_id: string
  /** In dollars. */
  readonly monthly_limit: number
}

/** A credit or a refund that staff asked for; the key is its id. */
export interface Care {
  readonly key: string
  readonly micros: number
  /** True when the service has acknowledged it. */
  isMade: boolean
}

/** A change of an order that staff gave; the key is its id. */
export interface Given {
  readonly key: string
  /** True when the service has acknowledged it. */
  isMade: boolean
}

/** Money that a customer asked back from the wallet; the id is that of its form. */
export interface Withdrawal {
  readonly id: string
  readonly micros: number
  /** True when the service has acknowledged the request. */
  isAsked: boolean
  /** The ends that the service has acknowledged: at most one is right. */
  readonly ends: Array<string>
}

/** A message to customers by mail. */
export interface Announcement {
  readonly id: string
  /** The accounts that certainly get it: their addresses were verified before. */
  readonly readers: ReadonlyArray<string>
  /** True when the service has acknowledged it. */
  isMade: boolean
  /** True from the moment when staff ask for its early end: it then reaches some readers. */
  isEnded: boolean
}

/** An invoice as its buyer saw it. */
interface ShownInvoice {
  readonly number: string
  readonly transaction_id: string
  readonly total: number
  readonly buyer: { readonly name: string | null }
}

export const wasMade = ({ answer }: Purchase): boolean => answer !== undefined && answer.status < 300

/** Everything that the clients, the payment gateway and the webhook receiver saw; the database must agree with it. */
export class Record {
  readonly purchases: Array<Purchase> = []
  readonly deposits: Array<string> = []
  readonly payments = new Map<string, Payment>()
  /** By the payment gateway's id of the card. */
  readonly cards = new Map<string, Card>()
  readonly chargebacks: Array<Chargeback> = []
  readonly restrictions: Array<Restriction> = []
  readonly care: Array<Care> = []
  readonly given: Array<Given> = []
  readonly withdrawals: Array<Withdrawal> = []
  readonly announcements: Array<Announcement> = []
  /** The names of buyers, by their accounts. */
  readonly billing = new Map<string, string>()
  /** By number. */
  readonly invoices = new Map<string, ShownInvoice>()
  /** The accounts whose deletion was acknowledged. */
  readonly left: Array<string> = []
  readonly received = new Set<string>()
  /** Contradictions within the answers. */
  readonly contradictions: Array<string> = []
  /** The reasons why journeys failed. */
  readonly failures: Array<string> = []
  /** The number of orders that the service has acknowledged. */
  made = 0
  retries = 0

  /** Records an invoice that a customer has seen. It never changes. */
  show(invoice: ShownInvoice) {
    const before = this.invoices.get(invoice.number)
    if (before !== undefined && JSON.stringify(before) !== JSON.stringify(invoice))
      this.contradictions.push(`the invoice ${invoice.number} has changed`)
    this.invoices.set(invoice.number, invoice)
  }

  get orders(): ReadonlyArray<Purchase> {
    return this.purchases.filter(({ quantity }) => quantity > 0)
  }

  get changes(): ReadonlyArray<Purchase> {
    return this.purchases.filter(({ quantity }) => quantity === 0)
  }
}
