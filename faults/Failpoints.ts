import type { Random } from "./Random.ts"
import type { Verdict } from "./Wire.ts"

export const modes = ["kill before", "kill after", "lose answer"] as const
export type Mode = (typeof modes)[number]

/**
 * When faults happen: never; often, at points that have not failed in each way, and after a while now and then, at
 * whichever point comes next; or only at those whose name matches, again and again. Before anything is aimed at, points
 * are not even noted: those of the start are not met again.
 */
export type Aim = "nothing" | "each" | { readonly points: RegExp; readonly share: number }

/** How much time, in milliseconds, usually passes between two faults, while both instances are up. */
const pause = { random: 4000, each: 250 }

/** Of the time for which each point is aimed at; in the rest faults are rarer, so that more orders are made. */
const thoroughShare = 0.75

/**
 * The points between two steps that touch money, a provider or an event: every statement that writes such a thing, every
 * commit of one, and every call of the vendor, by name. Each can fail in three ways.
 */
export class Failpoints {
  readonly #random: Random
  readonly #points = new Map<string, Set<Mode>>()
  readonly #hits: Record<Mode, number> = { "kill before": 0, "kill after": 0, "lose answer": 0 }
  readonly #now: () => number
  #aim: Aim | undefined
  /** When what has not failed in each way is no longer aimed at. */
  #thoroughUntil = 0
  #next = 0

  constructor(random: Random, now = Date.now) {
    this.#random = random
    this.#now = now
  }

  /** Aims for about so long; at `each` point for three quarters of it. */
  aim(aim: Aim, millis = Number.POSITIVE_INFINITY) {
    this.#aim = aim
    this.#thoroughUntil = this.#now() + millis * thoroughShare
  }

  /** Whether faults happen often, at points that have not failed in each way. */
  get isThorough(): boolean {
    return this.#aim === "each" && this.left > 0 && this.#now() < this.#thoroughUntil
  }

  /** What is to happen at a point where one of these may. */
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

  #choose(aim: Aim, point: string, hit: ReadonlySet<Mode>, allowed: ReadonlyArray<Mode>): Mode | undefined {
    if (aim === "nothing") return undefined
    if (typeof aim === "object")
      return aim.points.test(point) && this.#random.chance(aim.share) ? this.#random.pick(allowed) : undefined
    const now = this.#now()
    if (now < this.#next) return undefined
    const isRandom = !this.isThorough
    const mode = allowed.find((mode) => !hit.has(mode)) ?? (isRandom ? this.#random.pick(allowed) : undefined)
    if (mode !== undefined) this.#next = now + (isRandom ? 2 * pause.random * this.#random.next() : pause.each)
    return mode
  }

  /** How many points are known, in how many ways. */
  get known() {
    return { points: this.#points.size, ways: this.#points.size * modes.length }
  }

  /** In how many ways nothing has failed yet. */
  get left(): number {
    let left = 0
    for (const hit of this.#points.values()) left += modes.length - hit.size
    return left
  }

  get hits(): Readonly<Record<Mode, number>> {
    return this.#hits
  }

  /** What has not failed yet in each way, and how. */
  get missed(): ReadonlyArray<string> {
    return [...this.#points].flatMap(([name, hit]) => {
      const left = modes.filter((mode) => !hit.has(mode))
      return left.length === 0 ? [] : [`${name}: ${left.length === modes.length ? "at all" : left.join(", ")}`]
    })
  }
}
