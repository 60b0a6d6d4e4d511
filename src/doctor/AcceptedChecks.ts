import { Config, Effect, Option } from "effect"
import { parsed } from "../platform/settings/ParsedSetting.ts"
import * as Checks from "./Checks.ts"
import * as SandboxGuard from "./SandboxGuard.ts"

/** `DOCTOR_ALLOW` cannot accept the check of the sandbox, because the start refuses it in any case. */
const known = new Set(Checks.all.map(({ id }) => id).filter((id) => id !== "pay.sandbox"))

const idsOf = (text: string) => text.split(",").flatMap((id) => id.trim() || [])

/** `DOCTOR_ALLOW`: the checks whose failure the operator accepts. */
const Allowed = parsed(
  "DOCTOR_ALLOW",
  "a comma list of checks, by their names in docs/going-live.md, without pay.sandbox",
  (text) => Option.liftPredicate(idsOf(text), (ids) => ids.every((id) => known.has(id)))
).pipe(Config.withDefault<ReadonlyArray<string>>([]))

/** The ids of the accepted checks. `SANDBOX_UNSAFE` accepts the check of the sandbox. */
export const load = Effect.gen(function* () {
  const allowed = yield* Allowed
  return new Set((yield* SandboxGuard.override) ? [...allowed, "pay.sandbox"] : allowed)
})
