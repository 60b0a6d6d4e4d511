import { Context, DateTime, Effect, Layer, type Schema } from "effect"
import { RequestId } from "../../platform/requests/RequestId.ts"
import * as UuidV7 from "../../platform/UuidV7.ts"
import type { Actor } from "../Actor.ts"
import type { Permission } from "../Permissions.ts"
import { type AuditField, auditFields, secretFields } from "./AuditFields.ts"
import { AuditRepo } from "./AuditRepo.ts"
import { Rehearsal } from "./Rehearsal.ts"

type Fields = { readonly [Field in AuditField]?: Schema.Json | undefined }

interface Attempt {
  readonly actor: Actor["Service"]
  /** The permission that the action used, or a name of the form `area.verb` for what needs none. */
  readonly action: Permission | "session.begin" | "session.end" | "session.enrol" | "invite.accept" | "me.change"
  /** `id` is the id of the kind's table; for an operation of the API its name. */
  readonly subject: { readonly kind: string; readonly id: string }
  /** The customer whom it is about. */
  readonly user_id?: string | null
  /** The words of the person who acts; for a refusal, why it was refused. At most 500 characters. */
  readonly reason?: string | null
}

interface Change extends Attempt {
  readonly before?: Fields
  readonly after?: Fields
}

/** Takes the fields that an event may show. */
const shown = (fields: Fields | undefined): Record<string, Schema.Json> | null => {
  if (fields === undefined) return null
  const named = auditFields.filter((field) => fields[field] !== undefined)
  return Object.fromEntries(
    named.map((field) => [
      field,
      secretFields.includes(field) && fields[field] !== null ? "[secret]" : (fields[field] ?? null)
    ])
  )
}

/** The log of everything that staff do. It is append-only, and each event is part of a chain of hashes. */
export class Audit extends Context.Service<
  Audit,
  {
    /** Records an action in the caller's transaction: without the record there is no action. */
    readonly record: (change: Change) => Effect.Effect<void>
    /** Records a refused attempt. Call it outside the transaction of the attempt, which is undone. */
    readonly refused: (attempt: Attempt) => Effect.Effect<void>
  }
>()("app/staff/Audit") {
  static readonly layerNoDeps = Layer.effect(
    Audit,
    Effect.gen(function* () {
      const repo = yield* AuditRepo

      const write = Effect.fnUntraced(function* (outcome: "done" | "refused", given: Change) {
        const { action, actor, subject } = given
        const request_id = yield* RequestId
        yield* repo.insert({
          id: UuidV7.make(),
          occurred_at: yield* DateTime.now,
          actor_kind: actor.kind,
          actor_id: actor.id,
          staff_id: actor.staff_id,
          actor_name: actor.name,
          role: actor.role,
          action,
          outcome,
          subject_kind: subject.kind,
          subject_id: subject.id,
          user_id: given.user_id ?? null,
          request_id: request_id === "unknown" ? null : request_id,
          address: actor.address,
          reason: given.reason ?? null,
          before: shown(given.before),
          after: shown(given.after)
        })
      })

      return Audit.of({
        record: Effect.fn("Audit.record")((change) => write("done", change)),
        refused: Effect.fn("Audit.refused")(function* (attempt) {
          if (yield* Rehearsal) return
          yield* repo.outsideTransaction
          yield* write("refused", attempt)
        })
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(AuditRepo.layer))
}
