import { DateTime, Duration, Effect } from "effect"
import type { Actor } from "./Actor.ts"
import { StepUpNeeded } from "./StaffErrors.ts"

const lasts = Duration.minutes(5)

/** True when the person gave password and code within the last 5 minutes. A command needs none; a token never has it. */
const isFresh = Effect.fnUntraced(function* ({ confirmed_at, kind }: Actor["Service"]) {
  if (kind === "cli" || kind === "system") return true
  if (confirmed_at === null) return false
  return Duration.isLessThanOrEqualTo(DateTime.distance(confirmed_at, yield* DateTime.now), lasts)
})

/** Refuses an actor whose last confirmation is too old for roles, tokens and large amounts. */
export const needed = Effect.fnUntraced(function* (actor: Actor["Service"]) {
  if (!(yield* isFresh(actor))) return yield* new StepUpNeeded({ details: {} })
})
