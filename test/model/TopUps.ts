import { DateTime } from "effect"
import type { Bank } from "../support/MemoryCards.ts"
import type { Answer, Entry } from "./Account.ts"
import type { TopUpCommand } from "./Command.ts"

const minute = 60_000
const hour = 60 * minute

/** The pauses after the declines in a row that may pass. */
const pauses = [hour, 12 * hour]
const notChargedPause = 10 * minute
/** The age at which a charge that the gateway does not know was never made. */
const neverMade = 10 * minute

const monthOf = (time: number) => DateTime.formatIsoDateUtc(DateTime.makeUnsafe(time)).slice(0, 7)

/** The part of the model that the top-ups need. */
interface Account {
  readonly now: number
  readonly balance: number
  /** True while the account may not spend. */
  readonly isStopped: boolean
  /** True while the account hears of nothing. */
  readonly isSuspended: boolean
  readonly book: (type: "deposit", cents: number, status: "pending") => Entry
}

interface Settings extends Omit<TopUpCommand, "do"> {
  enabled: boolean
  stopped_by: string | null
  declines: number
  not_before: number | null
  /** The month in which the customer was told that its limit is reached. */
  told?: string | undefined
}

/** A charge of the card. It is in flight while its entry is pending. */
interface Charge {
  readonly entry: Entry
  readonly at: number
  /** False when the request was lost before the gateway. */
  readonly has_arrived: boolean
}

/** The saved card of one customer, and its automatic top-ups. */
export class TopUps {
  card: "none" | "kept" | "removed" = "none"
  bank: Bank = "pays"
  readonly #account: Account
  readonly #charges: Array<Charge> = []
  /** The number of notices of each kind. */
  readonly notices: Record<string, number> = {}
  #settings: Settings | undefined

  constructor(account: Account) {
    this.#account = account
  }

  /** The settings that the API shows. */
  get shown() {
    if (this.#settings === undefined) return undefined
    const { amount, enabled, monthly_limit, not_before, stopped_by, threshold } = this.#settings
    const has_card = this.card === "kept"
    return { enabled, threshold, amount, monthly_limit, charged: this.#charged, has_card, stopped_by, not_before }
  }

  /** The charge in flight; there is at most one. */
  get pending() {
    return this.#charges.find(({ entry }) => entry.status === "pending")
  }

  set({ amount, enabled, monthly_limit, threshold }: TopUpCommand): Answer {
    if (monthly_limit < amount) return { status: 422, reason: "VALIDATION_ERROR" }
    if (this.card !== "kept") return { status: 404, reason: "NOT_FOUND" }
    const before = this.#settings?.not_before ?? null
    const not_before = before === null ? null : Math.min(before, this.#account.now + minute)
    const changed = { amount, enabled, monthly_limit, threshold, stopped_by: null, declines: 0, not_before }
    this.#settings = { ...this.#settings, ...changed }
    return { status: 200 }
  }

  remove(): Answer {
    this.card = "removed"
    if (this.#settings !== undefined) this.#settings.enabled = false
    return { status: 204 }
  }

  /** The jobs look up the charge in flight, and then charge the card if the balance is too low. */
  round() {
    const { pending } = this
    if (pending !== undefined) this.#lookUp(pending)
    const { balance, isStopped, now } = this.#account
    if (this.#settings === undefined || this.pending !== undefined || isStopped) return
    const { amount, enabled, monthly_limit, not_before, threshold } = this.#settings
    if (!enabled || balance >= threshold || (not_before !== null && not_before > now)) return
    if (this.#charged + amount > monthly_limit) return this.#tellLimit()
    const entry = this.#account.book("deposit", amount, "pending")
    const charge = { entry, at: now, has_arrived: this.bank !== "loses the request" }
    this.#charges.push(charge)
    this.#lookUp(charge)
  }

  #tell(kind: string) {
    if (this.#account.isSuspended) return
    this.notices[kind] = (this.notices[kind] ?? 0) + 1
  }

  #tellLimit() {
    const month = monthOf(this.#account.now)
    if (this.#settings!.told !== month) this.#tell("auto_top_up_limit")
    this.#settings!.told = month
  }

  /** The charges of this month that are in flight or made. */
  get #charged() {
    const month = monthOf(this.#account.now)
    const counted = this.#charges.filter(({ at, entry }) => monthOf(at) === month && entry.status !== "failed")
    return counted.reduce((sum, { entry }) => sum + entry.cents, 0)
  }

  #lookUp({ at, entry, has_arrived }: Charge) {
    if (!has_arrived) {
      if (this.#account.now - at <= neverMade) return
      entry.status = "failed"
      return this.#putOff(notChargedPause)
    }
    if (this.bank === "pays") {
      entry.status = "completed"
      Object.assign(this.#settings!, { declines: 0, not_before: null, told: undefined })
      this.#tell("auto_top_up_made")
    }
    if (this.bank === "declines" || this.bank === "asks the owner") {
      entry.status = "failed"
      this.#decline(this.bank)
    }
  }

  #decline(bank: "declines" | "asks the owner") {
    if (this.card !== "kept") return this.#putOff(minute)
    const settings = this.#settings!
    const pause = bank === "declines" ? pauses[settings.declines] : undefined
    if (settings.enabled) this.#tell(pause === undefined ? "auto_top_up_stopped" : "auto_top_up_failed")
    if (pause !== undefined) {
      settings.declines++
      return this.#putOff(pause)
    }
    this.#putOff(minute)
    const stopped_by = bank === "declines" ? "declined" : "authentication_required"
    if (settings.enabled) Object.assign(settings, { enabled: false, stopped_by })
  }

  /** The pause belongs to the card. Without it, only the shortest one follows. */
  #putOff(pause: number) {
    this.#settings!.not_before = this.#account.now + (this.card === "kept" ? pause : minute)
  }
}
