import { Config, Effect, Schema } from "effect"
import { didYouMean } from "../platform/DidYouMean.ts"
import * as Checks from "./Checks.ts"
import * as SandboxGuard from "./SandboxGuard.ts"

/** `DOCTOR_ALLOW` cannot accept the check of the sandbox, because the start refuses it in any case. */
const sandbox = "pay.sandbox"
const known = Checks.all.map(({ id }) => id).filter((id) => id !== sandbox)

const idsOf = (text: string) => text.split(",").flatMap((id) => id.trim() || [])

/** Says why an id cannot be accepted; empty when it can. */
const refusalOf = (id: string): ReadonlyArray<string> => {
  if (known.includes(id)) return []
  return [id === sandbox ? `only SANDBOX_UNSAFE can accept ${id}` : `there is no check ${id}${didYouMean(id, known)}`]
}

/** `DOCTOR_ALLOW`: the checks whose failure the operator accepts. */
const Allowed = Config.schema(
  Schema.String.check(
    Schema.makeFilter((text) => {
      const refusals = idsOf(text).flatMap(refusalOf)
      return refusals.length === 0 || `DOCTOR_ALLOW: ${refusals.join("; ")}. docs/going-live.md lists all checks`
    })
  ),
  "DOCTOR_ALLOW"
).pipe(Config.withDefault(""), Config.map(idsOf))

/** The ids of the accepted checks. `SANDBOX_UNSAFE` accepts the check of the sandbox. */
export const load = Effect.gen(function* () {
  const allowed = yield* Allowed
  return new Set((yield* SandboxGuard.override) ? [...allowed, sandbox] : allowed)
})
