import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { type AbuseAnswer, AbuseLookUp } from "../../abuse/AbuseLookUp.ts"
import * as Complaint from "../../abuse/Complaint.ts"
import { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import { type Actor, needs, type PermissionNeeded } from "../Actor.ts"
import { Audit } from "../audit/Audit.ts"
import type { AuditEvent } from "../audit/AuditEvent.ts"
import { AuditLog } from "../audit/AuditLog.ts"
import * as Guard from "../audit/Guard.ts"
import type * as Keyset from "../Keyset.ts"
import { LookUpView } from "./AbuseApi.ts"

/** A complaint, and the words for the audit log: the case that it belongs to. */
export interface LookUpRequest extends Complaint.Complaint {
  readonly reason: string | null
}

export interface LookUpAnswer extends AbuseAnswer {
  /** The addresses that the destination was compared as. Null: the complaint names none. */
  readonly destinations: ReadonlyArray<string> | null
}

const { destination, exit_port, time, verdict } = LookUpView.fields

/** The fields of the event of a look-up. */
const recordedIn = Schema.decodeUnknownOption(Schema.Struct({ destination, exit_port, time, verdict }))

const unrecorded = { destination: null, exit_port: null, time: "", verdict: "" }

const viewOf = ({
  actor_name,
  after,
  id,
  occurred_at,
  reason,
  subject_id,
  user_id
}: AuditEvent): typeof LookUpView.Type => ({
  id,
  looked_up_at: occurred_at,
  looked_up_by: actor_name,
  case: reason,
  exit_ip: subject_id,
  user_id,
  ...Option.getOrElse(recordedIn(after), () => unrecorded)
})

/** Looks up who used an exit address, for staff. Each look-up is in the audit log, with its case and its answer. */
export class AbuseDesk extends Context.Service<
  AbuseDesk,
  {
    readonly lookUp: (
      actor: Actor["Service"],
      request: LookUpRequest
    ) => Effect.Effect<LookUpAnswer, PermissionNeeded | RequestInvalid>
    /** The look-ups of staff, the newest first. */
    readonly list: (
      actor: Actor["Service"],
      page: Keyset.Keyset
    ) => Effect.Effect<
      { readonly items: ReadonlyArray<typeof LookUpView.Type>; readonly next: string | null },
      PermissionNeeded
    >
  }
>()("app/staff/AbuseDesk") {
  static readonly layerNoDeps = Layer.effect(
    AbuseDesk,
    Effect.gen(function* () {
      const abuse = yield* AbuseLookUp
      const audit = yield* Audit
      const guard = yield* Guard.make
      const log = yield* AuditLog
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

      const list = Effect.fn("AbuseDesk.list")(function* (actor: Actor["Service"], { after, limit }: Keyset.Keyset) {
        yield* needs(actor, "abuse.read")
        const filter = { limit, action: "abuse.act", outcome: "done", ...(after !== undefined && { after }) } as const
        const { items, next } = yield* log.list(filter)
        return { items: items.map(viewOf), next }
      })

      return AbuseDesk.of({ list, lookUp })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([AbuseLookUp.layer, Audit.layer, AuditLog.layer]))
}
