import type { WebhookEndpointId } from "./WebhookEndpoint.ts"

export const limits = {
  /** Attempts under way in total. */
  inFlight: 4096,
  /** Attempts under way to unproven endpoints. The other slots are reserved for proven endpoints. */
  unproven: 3072,
  perEndpoint: 8,
  /** Endpoints in memory. The job `WebhookRetries` finds the others. */
  endpoints: 100_000,
  /** Endpoints and deliveries of one turn. */
  turn: 256,
  turnDeliveries: 512
}
export type Limits = typeof limits

/** Permission to claim up to `limit` deliveries of an endpoint. */
export interface Turn {
  readonly endpoint_id: WebhookEndpointId
  readonly limit: number
}

interface Seat {
  /** True when a delivery may be due. */
  due: boolean
  inFlight: number
  /** Allowed attempts in flight. A delivered attempt doubles it, a failed one sets it to 1. */
  slots: number
  /** True when the last attempt was delivered promptly. This is newer than the value in the database. */
  proven: boolean | undefined
}

/**
 * Decides which endpoints get attempts next, and counts the attempts in flight to each. An endpoint that does not answer
 * delays only itself: it has one attempt in flight at a time, like an endpoint that has not answered yet. Slow, failing
 * and unknown endpoints are unproven. Together they never use the slots that are reserved for proven endpoints.
 */
export class WebhookQueue {
  readonly #limits: Limits
  readonly #seats = new Map<WebhookEndpointId, Seat>()
  /** Endpoints with a due delivery and a free slot wait in `proven` or `unproven`; idle endpoints rest. */
  readonly #proven = new Set<WebhookEndpointId>()
  readonly #unproven = new Set<WebhookEndpointId>()
  readonly #resting = new Set<WebhookEndpointId>()
  #inFlight = 0
  #inFlightToUnproven = 0

  constructor(given: Partial<Limits> = {}) {
    this.#limits = { ...limits, ...given }
  }

  /** True when no delivery is due and no attempt is in flight. */
  get isIdle(): boolean {
    return this.#seats.size === this.#resting.size
  }

  get hasTurns(): boolean {
    return (this.#proven.size > 0 && this.#room > 0) || (this.#unproven.size > 0 && this.#roomForUnproven > 0)
  }

  /** Notes that a delivery may be due at the endpoint. */
  wake(id: WebhookEndpointId, isProven?: boolean): void {
    const seat = this.#seatOf(id, isProven)
    if (seat !== undefined) this.#change(id, seat, { due: true, proven: seat.proven ?? isProven })
  }

  /** Returns the next turns and reserves their slots until `taken` or `putBack`. */
  take(): ReadonlyArray<Turn> {
    const { turn, turnDeliveries } = this.#limits
    const half = Math.ceil(turnDeliveries / 2)
    const unproven = this.#takeFrom(this.#unproven, Math.ceil(turn / 2), Math.min(this.#roomForUnproven, half))
    const left = turnDeliveries - unproven.reduce((sum, { limit }) => sum + limit, 0)
    return [...unproven, ...this.#takeFrom(this.#proven, turn - unproven.length, Math.min(this.#room, left))]
  }

  /** Notes how many deliveries a turn claimed. A full turn means that more deliveries may be due. */
  taken({ endpoint_id, limit }: Turn, found: number, isProven?: boolean): void {
    const seat = this.#seats.get(endpoint_id)
    if (seat === undefined) return
    this.#change(endpoint_id, seat, {
      due: seat.due || found === limit,
      inFlight: seat.inFlight - limit + found,
      proven: seat.proven ?? isProven
    })
  }

  /** Returns the slots of a turn that claimed nothing. */
  putBack(turn: Turn): void {
    this.taken(turn, 0)
    this.wake(turn.endpoint_id)
  }

  /** Notes the end of an attempt. Without an outcome it says nothing about the endpoint. */
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

  /**
   * Returns the endpoint's seat. A full queue forgets an endpoint without attempts in flight. Returns undefined if
   * every endpoint has attempts in flight.
   */
  #seatOf(id: WebhookEndpointId, isProven: boolean | undefined): Seat | undefined {
    const known = this.#seats.get(id)
    if (known !== undefined) return known
    if (this.#seats.size >= this.#limits.endpoints && !this.#forgetOne(isProven)) return undefined
    const seat: Seat = { due: false, inFlight: 0, slots: 1, proven: undefined }
    this.#seats.set(id, seat)
    return seat
  }

  /**
   * Forgets the endpoint that has rested longest. When more endpoints wait unproven than rest, it forgets an unproven one
   * instead, so that many unproven endpoints do not replace the others. An unproven newcomer then gets no seat.
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
