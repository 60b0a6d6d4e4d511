import { Effect } from "effect"
import { vi } from "vitest"

const freeze = () => {
  const spies = [
    vi.spyOn(Date, "now").mockReturnValue(Date.now()),
    vi.spyOn(performance, "now").mockReturnValue(performance.now())
  ]
  return () => spies.forEach((spy) => spy.mockRestore())
}

/**
 * Stops the clocks of this process until the scope ends; timers go on. A rate limit refills with time, and a wait ends
 * with it: a slow machine cannot change either while the clocks stand still.
 */
export const frozenTime = Effect.acquireRelease(Effect.sync(freeze), (thaw) => Effect.sync(thaw))

export { freeze }
