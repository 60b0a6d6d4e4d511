import { Effect } from "effect"
import * as os from "node:os"

const pause = "500 millis"

const busyMillis = () =>
  os.cpus().reduce((sum, { times: { irq, nice, sys, user } }) => sum + user + nice + sys + irq, 0)

/** The cores that the machine uses while the benchmark waits: other programs' work, and the idle servers' own. */
export const measure = Effect.gen(function* () {
  const [busy, began] = [busyMillis(), performance.now()]
  yield* Effect.sleep(pause)
  return (busyMillis() - busy) / (performance.now() - began)
})
