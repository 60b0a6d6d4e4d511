import type { ReversalCommand } from "./Command.ts"

/** A refund or dispute of a charge, in cents. */
interface Reversal {
  readonly charge: string
  status: ReversalCommand["status"]
  cents: number
  /** The part of it that the wallet had. */
  debited: number
  isLifted: boolean
}

/** A report counts when it leads further. */
const ranks = ["announced", "taken", "returned"]

/** Refunds and disputes of one customer's payments. */
export class Reversals {
  readonly #all = new Map<string, Reversal>()

  /** True while the customer may buy nothing. */
  get isStopped() {
    return [...this.#all.values()].some(({ isLifted, status }) => status !== "returned" && !isLifted)
  }

  /** Answers what a report moves in the wallet: nothing when it leads no further. */
  report(
    { cents, status, which }: ReversalCommand,
    { balance, charge, whole }: { readonly balance: number; readonly charge: string; readonly whole: number }
  ): number {
    const id = `${which} of ${charge}`
    const known = this.#all.get(id)
    if (known !== undefined && ranks.indexOf(status) <= ranks.indexOf(known.status)) return 0
    const left = whole - this.#taken(charge)
    const reversal: Reversal = known ?? { charge, status, cents: 0, debited: 0, isLifted: false }
    this.#all.set(id, reversal)
    reversal.status = status
    if (status === "returned") return reversal.debited
    if (status === "announced") return 0
    reversal.cents = Math.min(cents ?? whole, left)
    reversal.debited = Math.min(reversal.cents, balance)
    return -reversal.debited
  }

  /** The operator lets the customer buy again. */
  lift() {
    for (const reversal of this.#all.values()) if (reversal.status !== "returned") reversal.isLifted = true
  }

  #taken(charge: string) {
    const taken = [...this.#all.values()].filter((one) => one.charge === charge && one.status === "taken")
    return taken.reduce((sum, { cents }) => sum + cents, 0)
  }
}
