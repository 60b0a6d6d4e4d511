import type { WebhookEndpointId } from "./WebhookEndpoint.ts"

export const limits = {
  /** Attempts under way in all, */
  inFlight: 4096,
  /** of those to endpoints that fail: the rest stays free for the others. */
  failing: 3072,
  perEndpoint: 8,
  perFailing: 1,
  /** Endpoints that are remembered. Those that find no room are found by the job. */
  endpoints: 10_000,
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
  /** Unknown before the first attempt. What is known here is newer than what the database says. */
  failing: boolean | undefined
}

/**
 * The endpoints whose turn it is to be sent to, and what is in flight to each. An endpoint that does not answer holds
 * up itself only: it has one attempt in flight at a time, as has one that has not answered yet.
 */
export class WebhookQueue {
  readonly #limits: Limits
  readonly #seats = new Map<WebhookEndpointId, Seat>()
  /** Those with something due and a free slot, each in turn; and those with nothing at all, the first to be forgotten. */
  readonly #healthy = new Set<WebhookEndpointId>()
  readonly #failing = new Set<WebhookEndpointId>()
  readonly #resting = new Set<WebhookEndpointId>()
  #inFlight = 0
  #inFlightToFailing = 0

  constructor(given: Partial<Limits> = {}) {
    this.#limits = { ...limits, ...given }
  }

  /** Nothing is due, nothing in flight. */
  get isIdle(): boolean {
    return this.#seats.size === this.#resting.size
  }

  get hasTurns(): boolean {
    return (this.#healthy.size > 0 && this.#room > 0) || (this.#failing.size > 0 && this.#roomForFailing > 0)
  }

  /** Something may be due at the endpoint. */
  wake(id: WebhookEndpointId, isFailing?: boolean): void {
    const seat = this.#seatOf(id)
    if (seat !== undefined) this.#change(id, seat, { due: true, failing: seat.failing ?? isFailing })
  }

  /** Whose turn it is, with the slots that are kept for each until `taken` or `putBack`. */
  take(): ReadonlyArray<Turn> {
    const half = this.#limits.turn / 2
    const failing = this.#takeFrom(this.#failing, half, Math.min(this.#roomForFailing, this.#limits.turnDeliveries / 2))
    const left = this.#limits.turn - failing.length
    return [...failing, ...this.#takeFrom(this.#healthy, left, Math.min(this.#room, this.#limits.turnDeliveries))]
  }

  /** What a turn brought; as many as could be taken means that there may be more. */
  taken({ endpoint_id, limit }: Turn, found: number, isFailing?: boolean): void {
    const seat = this.#seats.get(endpoint_id)
    if (seat === undefined) return
    this.#change(endpoint_id, seat, {
      due: seat.due || found === limit,
      inFlight: seat.inFlight - limit + found,
      failing: seat.failing ?? isFailing
    })
  }

  /** A turn that came to nothing. */
  putBack(turn: Turn): void {
    this.taken(turn, 0)
    this.wake(turn.endpoint_id)
  }

  /** An attempt ended; without an outcome it says nothing about the endpoint. */
  ended(id: WebhookEndpointId, delivered?: boolean): void {
    const seat = this.#seats.get(id)
    if (seat === undefined) return
    const inFlight = seat.inFlight - 1
    if (delivered === undefined) return this.#change(id, seat, { inFlight })
    const slots = delivered ? Math.min(seat.slots * 2, this.#limits.perEndpoint) : 1
    this.#change(id, seat, { inFlight, slots, failing: !delivered })
  }

  get #room() {
    return this.#limits.inFlight - this.#inFlight
  }

  get #roomForFailing() {
    return Math.min(this.#limits.failing - this.#inFlightToFailing, this.#room)
  }

  #freeAt(seat: Seat) {
    return (seat.failing === true ? this.#limits.perFailing : seat.slots) - seat.inFlight
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

  /** The endpoint's seat, at the cost of the one that has rested longest; none when all others have something to do. */
  #seatOf(id: WebhookEndpointId): Seat | undefined {
    const known = this.#seats.get(id)
    if (known !== undefined) return known
    if (this.#seats.size >= this.#limits.endpoints) {
      const [oldest] = this.#resting
      if (oldest === undefined) return undefined
      this.#resting.delete(oldest)
      this.#seats.delete(oldest)
    }
    const seat: Seat = { due: false, inFlight: 0, slots: 1, failing: undefined }
    this.#seats.set(id, seat)
    return seat
  }

  #change(id: WebhookEndpointId, seat: Seat, change: Partial<Seat>): void {
    this.#count(seat, -1)
    Object.assign(seat, change)
    this.#count(seat, 1)
    const place = this.#placeOf(seat)
    for (const line of [this.#healthy, this.#failing, this.#resting]) if (line !== place) line.delete(id)
    place?.add(id)
  }

  #count({ failing, inFlight }: Seat, sign: 1 | -1) {
    this.#inFlight += sign * inFlight
    if (failing === true) this.#inFlightToFailing += sign * inFlight
  }

  #placeOf(seat: Seat) {
    if (!seat.due) return seat.inFlight === 0 ? this.#resting : undefined
    if (this.#freeAt(seat) <= 0) return undefined
    return seat.failing === true ? this.#failing : this.#healthy
  }
}
