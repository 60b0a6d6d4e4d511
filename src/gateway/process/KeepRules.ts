import { Clock, DateTime, Effect } from "effect"
import { DestinationMatcher } from "../DestinationMatcher.ts"
import type { DestinationRule } from "../DestinationRule.ts"
import { NodeControl } from "../NodeControl.ts"
import type { GatewayServer } from "./GatewayServer.ts"

/** The payload of the notification that the rules have changed: the nil id, which no proxy has. */
export const notice = "00000000-0000-0000-0000-000000000000"

/** A timer takes at most about 24 days. */
const longestTimerMillis = 86_400_000

const endsAt = ({ until_at }: DestinationRule) => (until_at === null ? Infinity : DateTime.toEpochMillis(until_at))

/** Keeps the rules about destinations on the server: after each change, and when a rule ends. */
export const make = Effect.fnUntraced(function* (server: GatewayServer) {
  const control = yield* NodeControl
  let rules: ReadonlyArray<DestinationRule> = []
  let version: string | undefined
  let timer: NodeJS.Timeout | undefined
  yield* Effect.addFinalizer(() => Effect.sync(() => clearTimeout(timer)))

  const apply = (now: number) => {
    clearTimeout(timer)
    const running = rules.filter((rule) => endsAt(rule) > now)
    server.rule(new DestinationMatcher(running))
    const next = running.reduce((first, rule) => Math.min(first, endsAt(rule)), Infinity)
    if (next < Infinity) timer = setTimeout(() => apply(Date.now()), Math.min(next - now, longestTimerMillis))
  }

  const read = Effect.gen(function* () {
    const found = yield* control.rules(version)
    if (found.rules === null) return
    rules = found.rules
    version = found.version
    apply(yield* Clock.currentTimeMillis)
  })

  return { read }
})
