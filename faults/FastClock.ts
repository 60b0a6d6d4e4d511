// Loaded before the service (`node --import`). The deadlines of the product are minutes and hours. Here its whole clock
// follows `FAULTS_CLOCK`, so that they pass within a run without a change of the product.
import * as Clock from "./Clock.ts"

const pace = Clock.decode(process.env["FAULTS_CLOCK"] ?? "")
const { speed } = pace

const sped =
  <Timer>(set: (callback: () => void, millis: number) => Timer) =>
  (callback: (...args: ReadonlyArray<unknown>) => void, millis = 0, ...args: ReadonlyArray<unknown>): Timer =>
    set(() => callback(...args), millis / speed)

const started = process.hrtime.bigint()
const { bigint } = process.hrtime

Object.assign(process.hrtime, { bigint: () => started + (bigint() - started) * BigInt(speed) })
Object.assign(globalThis, {
  setTimeout: Object.assign(sped(setTimeout), setTimeout),
  setInterval: sped(setInterval),
  Date: new Proxy(Date, {
    construct: (target, args: ReadonlyArray<unknown>) =>
      Reflect.construct(target, args.length === 0 ? [Clock.now(pace)] : args),
    get: (target, name) => (name === "now" ? () => Math.floor(Clock.now(pace)) : Reflect.get(target, name))
  })
})
