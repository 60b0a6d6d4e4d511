import { Console, Effect } from "effect"
import { sample } from "./Latency.ts"

/** Each measures both sides, one after the other. */
const rounds = 5

export const times = (count: number) => Array.from({ length: count }, (_, n) => n)

/** The number of times that an effect runs in a second, one after the other in each lane. */
export const rate = <E, R>(count: number, atOnce: number, effect: (lane: number) => Effect.Effect<unknown, E, R>) => {
  const lane = (lane: number) => Effect.forEach(times(count), () => effect(lane), { discard: true })
  const all = Effect.forEach(times(atOnce), lane, { concurrency: "unbounded", discard: true })
  return Effect.map(sample(1, all), ([millis = 0]) => (count * atOnce * 1000) / millis)
}

const median = (values: ReadonlyArray<number>) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

/** Measures a subject and its yardstick in turn, so that other load on the machine affects both. */
export const compare = Effect.fnUntraced(function* <E, R>(
  label: string,
  aim: number,
  measured: Effect.Effect<number, E, R>,
  yardstick: Effect.Effect<number, E, R>
) {
  yield* measured
  yield* yardstick
  const found: Array<{ readonly rate: number; readonly yardstick: number }> = []
  for (let round = 0; round < rounds; round += 1) found.push({ yardstick: yield* yardstick, rate: yield* measured })
  const ratio = median(found.map(({ rate, yardstick }) => rate / yardstick))
  yield* Console.log(
    `${label}: ${median(found.map(({ rate }) => rate)).toFixed(0)}/s, yardstick ` +
      `${median(found.map(({ yardstick }) => yardstick)).toFixed(0)}/s, ratio ${ratio.toFixed(2)}` +
      (ratio < aim ? `  MISSES ${aim}` : "")
  )
  return ratio >= aim
})
