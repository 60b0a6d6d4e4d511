import type { WebhookEndpointId } from "./WebhookEndpoint.ts"

export const limits = {
  /** Attempts under way in all. */
  inFlight: 4096,
  /** Attempts under way to unproven endpoints: the rest of the slots stays free for the others. */
  unproven: 3072,
  perEndpoint: 8,
  /** Endpoints that are remembered. Those that find no room are found by the job. */
  endpoints: 100_000,
  /** Endpoints of one turn, and deliveries. */
  turn: 256,
  turnDeliveries: 512
}
export type Limits = typeof limits

/** Up to `limit` deliveries of an endpoint may be taken up. */
export interface Turn {
  readonly endpoint_id: WebhookEndpointId
  readonly limit: number
}

interface Seat {
  /** Whether something may be due. */
  due: boolean
  inFlight: number
  /** How many may be in flight: doubled by each delivery that arrives, and one again after one that did not. */
  slots: number
  /** Whether the last attempt was delivered promptly. What is known here is newer than what the database says. */
  proven: boolean | undefined
}

/**
 * The endpoints whose turn it is to be sent to, and what is in flight to each. An endpoint that does not answer holds
 * up itself only: it has one attempt in flight at a time, as has one that has not answered yet. Those that are slow,
 * that fail, or of which nothing is known are unproven: all together they never take what is kept for the others.
 */
export class WebhookQueue {
  readonly #limits: Limits
  readonly #seats = new Map<WebhookEndpointId, Seat>()
  /** Those with something due and a free slot, each in turn; and those with nothing at all, the first to be forgotten. */
  readonly #proven = new Set<WebhookEndpointId>()
  readonly #unproven = new Set<WebhookEndpointId>()
  readonly #resting = new Set<WebhookEndpointId>()
  #inFlight = 0
  #inFlightToUnproven = 0

  constructor(given: Partial<Limits> = {}) {
    this.#limits = { ...limits, ...given }
  }

  /** Nothing is due, nothing in flight. */
  get isIdle(): boolean {
    return this.#seats.size === this.#resting.size
  }

  get hasTurns(): boolean {
    return (this.#proven.size > 0 && this.#room > 0) || (this.#unproven.size > 0 && this.#roomForUnproven > 0)
  }

  /** Something may be due at the endpoint. */
  wake(id: WebhookEndpointId, isProven?: boolean): void {
    const seat = this.#seatOf(id, isProven)
    if (seat !== undefined) this.#change(id, seat, { due: true, proven: seat.proven ?? isProven })
  }

  /** Whose turn it is, with the slots that are kept for each until `taken` or `putBack`. */
  take(): ReadonlyArray<Turn> {
    const { turn, turnDeliveries } = this.#limits
    const half = Math.ceil(turnDeliveries / 2)
    const unproven = this.#takeFrom(this.#unproven, Math.ceil(turn / 2), Math.min(this.#roomForUnproven, half))
    const left = turnDeliveries - unproven.reduce((sum, { limit }) => sum + limit, 0)
    return [...unproven, ...this.#takeFrom(this.#proven, turn - unproven.length, Math.min(this.#room, left))]
  }

  /** What a turn brought; as many as could be taken means that there may be more. */
  taken({ endpoint_id, limit }: Turn, found: number, isProven?: boolean): void {
    const seat = this.#seats.get(endpoint_id)
    if (seat === undefined) return
    this.#change(endpoint_id, seat, {
      due: seat.due || found === limit,
      inFlight: seat.inFlight - limit + found,
      proven: seat.proven ?? isProven
    })
  }

  /** A turn that came to nothing. */
  putBack(turn: Turn): void {
    this.taken(turn, 0)
    this.wake(turn.endpoint_id)
  }

  /** An attempt ended; without an outcome it says nothing about the endpoint. */
  ended(id: WebhookEndpointId, delivered?: boolean, isPrompt = delivered): void {
    const seat = this.#seats.get(id)
    if (seat === undefined) return
    const inFlight = seat.inFlight - 1
    if (delivered === undefined) return this.#change(id, seat, { inFlight })
    const slots = delivered ? Math.min(seat.slots * 2, this.#limits.perEndpoint) : 1
    this.#change(id, seat, { inFlight, slots, proven: delivered && isPrompt })
  }

  get #room() {
    return this.#limits.inFlight - this.#inFlight
  }

  get #roomForUnproven() {
    return Math.min(this.#limits.unproven - this.#inFlightToUnproven, this.#room)
  }

  #freeAt(seat: Seat) {
    return seat.slots - seat.inFlight
  }

  #takeFrom(line: ReadonlySet<WebhookEndpointId>, most: number, room: number): ReadonlyArray<Turn> {
    const turns: Array<Turn> = []
    for (const endpoint_id of line) {
      const seat = this.#seats.get(endpoint_id)
      if (turns.length >= most || room <= 0) break
      if (seat === undefined) continue
      const limit = Math.min(this.#freeAt(seat), room)
      room -= limit
      turns.push({ endpoint_id, limit })
      this.#change(endpoint_id, seat, { due: false, inFlight: seat.inFlight + limit })
    }
    return turns
  }

  /** The endpoint's seat, at the cost of one that has nothing in flight; none when there is no such. */
  #seatOf(id: WebhookEndpointId, isProven: boolean | undefined): Seat | undefined {
    const known = this.#seats.get(id)
    if (known !== undefined) return known
    if (this.#seats.size >= this.#limits.endpoints && !this.#forgetOne(isProven)) return undefined
    const seat: Seat = { due: false, inFlight: 0, slots: 1, proven: undefined }
    this.#seats.set(id, seat)
    return seat
  }

  /**
   * The one that has rested longest; one that waits unproven when those are more, so that a multitude of them does not
   * make the others unknown, unless the one that wants its seat is known to be so too.
   */
  #forgetOne(isProven: boolean | undefined): boolean {
    const isCrowded = this.#unproven.size > this.#resting.size
    if (isCrowded && isProven === false) return false
    const line = isCrowded ? this.#unproven : this.#resting
    for (const id of line) {
      if (this.#seats.get(id)?.inFlight !== 0) continue
      line.delete(id)
      return this.#seats.delete(id)
    }
    return false
  }

  #change(id: WebhookEndpointId, seat: Seat, change: Partial<Seat>): void {
    this.#count(seat, -1)
    Object.assign(seat, change)
    this.#count(seat, 1)
    const place = this.#placeOf(seat)
    for (const line of [this.#proven, this.#unproven, this.#resting]) if (line !== place) line.delete(id)
    place?.add(id)
  }

  #count({ inFlight, proven }: Seat, sign: 1 | -1) {
    this.#inFlight += sign * inFlight
    if (proven !== true) this.#inFlightToUnproven += sign * inFlight
  }

  #placeOf(seat: Seat) {
    if (!seat.due) return seat.inFlight === 0 ? this.#resting : undefined
    if (this.#freeAt(seat) <= 0) return undefined
    return seat.proven === true ? this.#proven : this.#unproven
  }
}
