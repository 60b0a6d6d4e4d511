import type { Random } from "./Random.ts"
import type { Verdict } from "./Wire.ts"

export const modes = ["kill before", "kill after", "lose answer"] as const
export type Mode = (typeof modes)[number]

/** Repeated faults at points whose name matches. */
interface Matching {
  readonly points: RegExp
  readonly share: number
  /** The ways to fail; all of them when absent. */
  readonly modes?: ReadonlyArray<Mode>
}

/**
 * The times of faults: never; often, at points that have not failed in each way, and later occasionally at any point;
 * or repeatedly at some points. Points before that are not recorded, because the points of a start do not come again.
 */
export type Aim = "nothing" | "each" | Matching

/** The usual time between two faults, in milliseconds, while both instances are up. */
const pause = { random: 4000, each: 250 }

/**
 * The share of the time in which each point is aimed at. Faults are rarer in the rest, so that customers order more.
 */
const thoroughShare = 0.75

/**
 * The points between two steps that touch money, a provider or an event: every statement that writes such a thing,
 * every commit of one, and every call of the vendor, by name. Each can fail in three ways.
 */
export class Failpoints {
  readonly #random: Random
  readonly #points = new Map<string, Set<Mode>>()
  readonly #hits: Record<Mode, number> = { "kill before": 0, "kill after": 0, "lose answer": 0 }
  readonly #now: () => number
  #aim: Aim | undefined
  /** The time when points that have not failed in each way are no longer aimed at. */
  #thoroughUntil = 0
  #next = 0

  constructor(random: Random, now = Date.now) {
    this.#random = random
    this.#now = now
  }

  /** Aims for about this time; at `each` point for three quarters of it. */
  aim(aim: Aim, millis = Number.POSITIVE_INFINITY) {
    this.#aim = aim
    this.#thoroughUntil = this.#now() + millis * thoroughShare
  }

  /** True while faults happen often, at points that have not failed in each way. */
  get isThorough(): boolean {
    return this.#aim === "each" && this.left > 0 && this.#now() < this.#thoroughUntil
  }

  /** Decides the fault at a point where one of these may happen. */
  judge(point: string, allowed: ReadonlyArray<Mode>): Verdict {
    if (this.#aim === undefined) return "pass"
    const hit = this.#points.get(point) ?? new Set<Mode>()
    this.#points.set(point, hit)
    const mode = allowed.length === 0 ? undefined : this.#choose(this.#aim, point, hit, allowed)
    if (mode === undefined) return "pass"
    hit.add(mode)
    this.#hits[mode] += 1
    return mode
  }

  #matching({ modes: wanted = modes, points, share }: Matching, point: string, allowed: ReadonlyArray<Mode>) {
    const possible = allowed.filter((mode) => wanted.includes(mode))
    const isHit = possible.length > 0 && points.test(point) && this.#random.chance(share)
    return isHit ? this.#random.pick(possible) : undefined
  }

  #choose(aim: Aim, point: string, hit: ReadonlySet<Mode>, allowed: ReadonlyArray<Mode>): Mode | undefined {
    if (aim === "nothing") return undefined
    if (typeof aim === "object") return this.#matching(aim, point, allowed)
    const now = this.#now()
    if (now < this.#next) return undefined
    const isRandom = !this.isThorough
    const mode = allowed.find((mode) => !hit.has(mode)) ?? (isRandom ? this.#random.pick(allowed) : undefined)
    if (mode !== undefined) this.#next = now + (isRandom ? 2 * pause.random * this.#random.next() : pause.each)
    return mode
  }

  /** The number of known points, times the ways to fail. */
  get known() {
    return { points: this.#points.size, ways: this.#points.size * modes.length }
  }

  /** The number of ways in which a point has not failed yet. */
  get left(): number {
    let left = 0
    for (const hit of this.#points.values()) left += modes.length - hit.size
    return left
  }

  get hits(): Readonly<Record<Mode, number>> {
    return this.#hits
  }

  /** The points that have not failed in each way, and the ways. */
  get missed(): ReadonlyArray<string> {
    return [...this.#points].flatMap(([name, hit]) => {
      const left = modes.filter((mode) => !hit.has(mode))
      return left.length === 0 ? [] : [`${name}: ${left.length === modes.length ? "at all" : left.join(", ")}`]
    })
  }
}
