import type { Model } from "./Model.ts"

type Refusal = "PurchasesStopped" | "PayoutOpen" | "PayoutAboveCash" | "PayoutMoved" | "CustomerStopped"

/** `taken back`: declined by the service for a refund or a dispute. */
type Status = "requested" | "approved" | "sent" | "declined" | "cancelled" | "taken back"

/** A decision about a withdrawal: by staff, or the customer cancels it. */
export type Decision = "approve" | "send" | "decline" | "cancel"

const ends = { approve: "approved", send: "sent", decline: "declined", cancel: "cancelled" } as const

const from: Readonly<Record<Decision, ReadonlyArray<Status>>> = {
  approve: ["requested"],
  send: ["approved"],
  decline: ["requested", "approved"],
  cancel: ["requested"]
}

/** The withdrawals of one customer. */
export class Payouts {
  readonly #account: Model
  #last: { readonly cents: number; status: Status } | undefined

  constructor(account: Model) {
    this.#account = account
  }

  get last() {
    return this.#last?.status
  }

  get #isOpen() {
    return this.#last?.status === "requested" || this.#last?.status === "approved"
  }

  /** Asks for money; answers the refusal, if there is one. The service says how much can leave. */
  ask(cents: number, cash: number): Refusal | undefined {
    if (this.#account.isStopped) return "PurchasesStopped"
    if (this.#isOpen) return "PayoutOpen"
    if (cents > cash) return "PayoutAboveCash"
    this.#last = { cents, status: "requested" }
    this.#account.book("withdrawal", -cents)
    return undefined
  }

  /** Decides about the last request; the same decision again changes nothing. */
  decide(decision: Decision): Refusal | undefined {
    const payout = this.#last
    if (payout === undefined || payout.status === ends[decision]) return undefined
    if (!from[decision].includes(payout.status)) return "PayoutMoved"
    const leaves = decision === "approve" || decision === "send"
    if (leaves && this.#account.isStopped) return "CustomerStopped"
    this.#end(ends[decision])
    return undefined
  }

  /** A refund or a dispute takes the money of a request back into the wallet; staff settle an approved one. */
  takeBack() {
    if (this.#last?.status === "requested") this.#end("taken back")
  }

  #end(status: Status) {
    const payout = this.#last!
    payout.status = status
    if (status === "approved" || status === "sent") return
    this.#account.book("deposit", payout.cents)
    for (const cents of this.#account.reversals.collect(payout.cents)) this.#account.book("withdrawal", -cents)
  }
}
