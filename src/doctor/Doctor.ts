import { Effect, Schema } from "effect"
import * as DatabaseFailure from "../platform/postgres/DatabaseFailure.ts"
import * as ExplainSetting from "../platform/settings/ExplainSetting.ts"
import * as RealMoney from "../wallet/RealMoney.ts"
import * as AcceptedChecks from "./AcceptedChecks.ts"
import type { Check, Severity } from "./Check.ts"
import * as Checks from "./Checks.ts"

/** The result of a check that did not pass. */
export interface Finding {
  readonly id: string
  readonly severity: Severity
  /** `accepted`: it failed, and the operator accepts that. `unknown`: the check could not tell. */
  readonly state: "failed" | "accepted" | "unknown"
  readonly text: string
}

interface Terms {
  readonly accepted: ReadonlySet<string>
  readonly isRealMoney: boolean
}

/** Without real money nothing false is sold, so a blocker is only a warning. */
const weigh = (severity: Severity, { isRealMoney }: Terms): Severity =>
  severity === "blocker" && !isRealMoney ? "warning" : severity

/** The answer of one check. `isMalformed`: it is unknown because a setting cannot be read. */
interface Answer extends Finding {
  readonly isMalformed?: true
}

const examineOne = (check: Check, terms: Terms) => {
  const { id } = check
  const unknown = (text: string): Answer => ({
    id,
    severity: weigh(check.severity, terms),
    state: "unknown",
    text
  })
  return check.run.pipe(
    Effect.match({
      onFailure: (error) =>
        error._tag === "NotKnown"
          ? unknown(error.reason)
          : { ...unknown(ExplainSetting.explain(error)), isMalformed: true as const },
      onSuccess: (answer): Answer | undefined =>
        answer && {
          id,
          severity: weigh(answer.severity ?? check.severity, terms),
          state: terms.accepted.has(id) ? "accepted" : "failed",
          text: answer.text
        }
    }),
    Effect.catchDefect((defect) =>
      DatabaseFailure.isUnavailable(defect)
        ? Effect.succeed(unknown("The database does not answer"))
        : Effect.die(defect)
    )
  )
}

/** The service does not start with a malformed setting, so it is an error even where no check is about it. */
const malformed = ({ id, text }: Answer, { accepted }: Terms): Finding => ({
  id,
  severity: "error",
  state: accepted.has(id) ? "accepted" : "failed",
  text
})

/** Gives each reason once: a check that it stops refers to the check that gives it. */
const withoutRepeats = (answers: ReadonlyArray<Answer>, terms: Terms): ReadonlyArray<Finding> =>
  answers.map(({ isMalformed = false, ...answer }) => {
    if (answer.state !== "unknown") return answer
    const same = answers.filter(({ text }) => text === answer.text)
    const first = same.find(({ state }) => state !== "unknown") ?? same[0]
    if (first !== undefined && first.id !== answer.id) return { ...answer, text: `see ${first.id}` }
    return isMalformed ? malformed(answer, terms) : answer
  })

/** Runs checks and returns what they find, in their order. */
export const examine = Effect.fn("Doctor.examine")(function* (checks: ReadonlyArray<Check>) {
  const accepted = yield* AcceptedChecks.load
  // Settings of a payment gateway that cannot be read mean that money is to be taken.
  const takers = yield* Effect.orElseSucceed(RealMoney.gateways, () => ["unreadable"])
  const terms = { accepted, isRealMoney: takers.length > 0 }
  const answers = yield* Effect.forEach(checks, (check) => examineOne(check, terms), { concurrency: 8 })
  return withoutRepeats(
    answers.filter((answer) => answer !== undefined),
    terms
  )
})

/** The service would sell something false for real money. */
class NotReadyToSell extends Schema.TaggedError<NotReadyToSell>()("NotReadyToSell", {
  findings: Schema.Array(Schema.Struct({ id: Schema.String, text: Schema.String }))
}) {
  override get message() {
    const listed = this.findings.map(({ id, text }) => `${id}: ${text}`).join("; ")
    return `The service takes real money and is not ready to sell. ${listed}. Correct this, accept single checks with DOCTOR_ALLOW, or start once with npm start -- --force (docs/going-live.md)`
  }
}

/** `SandboxGuard` refuses a start with the sandbox itself, also without real money. */
const blockers = Checks.all.filter(
  ({ asksOutside, id, severity }) => severity === "blocker" && asksOutside === undefined && id !== "pay.sandbox"
)

/**
 * Stops the start of a service that takes real money while a blocker fails. With `force` it logs the blockers instead.
 * Asks no other machine but the database.
 */
export const beforeStart = Effect.fn("Doctor.beforeStart")(function* (force: boolean) {
  if ((yield* RealMoney.gateways).length === 0) return
  const found = yield* examine(blockers)
  // The start itself refuses a malformed setting, which is an error here.
  const findings = found.filter(({ severity, state }) => state === "failed" && severity === "blocker")
  if (findings.length === 0) return
  if (!force) return yield* new NotReadyToSell({ findings })
  for (const { id, text } of findings) yield* Effect.logWarning(`serve --force overrides ${id}: ${text}`)
})
