import type { ReversalCommand } from "./Command.ts"

/** A refund or dispute of a charge. It claims `cents` of the charge, regardless of other claims. */
interface Reversal {
  readonly charge: string
  /** The whole charge. */
  readonly whole: number
  status: ReversalCommand["status"]
  cents: number
  isLifted: boolean
}

/** A report counts when it advances the status. */
const ranks = ["announced", "taken", "returned"]

/** Refunds and disputes of one customer's payments. */
export class Reversals {
  readonly #all = new Map<string, Reversal>()
  /** The part of each charge that the wallet has paid back. */
  readonly #held = new Map<string, number>()

  /** True while the customer may buy nothing. */
  get isStopped() {
    return [...this.#all.values()].some(({ isLifted, status }) => status !== "returned" && !isLifted)
  }

  /** Answers the change of the wallet by a report: none if the report does not advance the status. */
  report(
    { cents, status, which }: ReversalCommand,
    { balance, charge, whole }: { readonly balance: number; readonly charge: string; readonly whole: number }
  ): number {
    const id = `${which} of ${charge}`
    const known = this.#all.get(id)
    if (known !== undefined && ranks.indexOf(status) <= ranks.indexOf(known.status)) return 0
    const reversal: Reversal = known ?? { charge, whole, status, cents: 0, isLifted: false }
    this.#all.set(id, reversal)
    const before = this.#claimed(charge, whole)
    reversal.status = status
    if (status === "taken") reversal.cents = Math.min(cents ?? whole, whole)
    const after = this.#claimed(charge, whole)
    const held = this.#held.get(charge) ?? 0
    const moved = status === "taken" ? -Math.min(after - before, balance) : Math.max(0, held - after)
    this.#held.set(charge, held - moved)
    return moved
  }

  /** True when a report advances the status. */
  isNews({ status, which }: ReversalCommand, charge: string) {
    const known = this.#all.get(`${which} of ${charge}`)
    return known === undefined || ranks.indexOf(status) > ranks.indexOf(known.status)
  }

  /** The money that a report takes, if the wallet has it. */
  claim({ cents }: ReversalCommand, charge: string, whole: number) {
    return Math.min(cents ?? whole, whole - this.#claimed(charge, whole))
  }

  /** Pays what is missing with money that came back to the wallet; answers the debits, one for each charge. */
  collect(cents: number): ReadonlyArray<number> {
    const open = [...this.#all.values()].filter(({ isLifted, status }) => status === "taken" && !isLifted)
    const wholes = new Map(open.map(({ charge, whole }) => [charge, whole]))
    let left = cents
    const debits: Array<number> = []
    for (const [charge, whole] of [...wholes].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
      const held = this.#held.get(charge) ?? 0
      const paid = Math.min(left, this.#claimed(charge, whole) - held)
      if (paid <= 0) continue
      this.#held.set(charge, held + paid)
      left -= paid
      debits.push(paid)
    }
    return debits
  }

  /** The operator lets the customer buy again. */
  lift() {
    for (const reversal of this.#all.values()) if (reversal.status !== "returned") reversal.isLifted = true
  }

  /** The part of a charge that its reversals claim together. */
  #claimed(charge: string, whole: number) {
    const taken = [...this.#all.values()].filter((one) => one.charge === charge && one.status === "taken")
    return Math.min(
      whole,
      taken.reduce((sum, { cents }) => sum + cents, 0)
    )
  }
}
