import { Context, DateTime, Effect, Layer } from "effect"
import { type AbuseAnswer, AbuseLookUp } from "../../abuse/AbuseLookUp.ts"
import * as Complaint from "../../abuse/Complaint.ts"
import { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import type { Actor, PermissionNeeded } from "../Actor.ts"
import { Audit } from "../audit/Audit.ts"
import * as Guard from "../audit/Guard.ts"

/** A complaint, and the words for the audit log: the case that it belongs to. */
export interface LookUpRequest extends Complaint.Complaint {
  readonly reason: string | null
}

export interface LookUpAnswer extends AbuseAnswer {
  /** The addresses that the destination was compared as. Null: the complaint names none. */
  readonly destinations: ReadonlyArray<string> | null
}

/** Looks up who used an exit address, for staff. Each look-up is in the audit log, with its case and its answer. */
export class AbuseDesk extends Context.Service<
  AbuseDesk,
  {
    readonly lookUp: (
      actor: Actor["Service"],
      request: LookUpRequest
    ) => Effect.Effect<LookUpAnswer, PermissionNeeded | RequestInvalid>
  }
>()("app/staff/AbuseDesk") {
  static readonly layerNoDeps = Layer.effect(
    AbuseDesk,
    Effect.gen(function* () {
      const abuse = yield* AbuseLookUp
      const audit = yield* Audit
      const guard = yield* Guard.make
      const questionOf = yield* Complaint.makeQuestion

      const lookUp = Effect.fn("AbuseDesk.lookUp")(function* (actor: Actor["Service"], request: LookUpRequest) {
        const { at, destination, exit_ip, exit_port, reason } = request
        const question = yield* Effect.mapError(questionOf(request), ({ field, message }) =>
          RequestInvalid.at(["body", field], message)
        )
        const attempt = { actor, subject: { kind: "exit_address", id: exit_ip } }
        const act = Effect.gen(function* () {
          const answer = yield* abuse.find(question)
          yield* audit.record({
            ...attempt,
            action: "abuse.act",
            user_id: answer.verdict === "exact" ? (answer.candidates[0]?.user_id ?? null) : null,
            reason,
            after: { exit_port, time: DateTime.formatIso(at), destination, verdict: answer.verdict }
          })
          return { ...answer, destinations: question.destinations }
        })
        return yield* guard.allow({ ...attempt, permission: "abuse.act" }, act)
      })

      return AbuseDesk.of({ lookUp })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([AbuseLookUp.layer, Audit.layer]))
}
