import { Effect, type Schema } from "effect"
import type { UserId } from "../../accounts/User.ts"
import { type Actor, needs } from "../Actor.ts"
import { Audit } from "../audit/Audit.ts"
import type { AuditField } from "../audit/AuditFields.ts"
import type { Permission } from "../Permissions.ts"
import { StaffActions } from "../StaffActions.ts"

interface KeyedMoney<A> {
  readonly actor: Actor["Service"]
  readonly key: string
  readonly action: Permission
  /** The kind of the record. */
  readonly kind: string
  readonly operation: string
  readonly content: Schema.Json
  readonly answer: Schema.Codec<A, Schema.Json>
  /** The reason for the audit log, when the record has none. */
  readonly reason?: string
}

/** The part of a record that the audit log shows. */
interface Shown {
  readonly id: string
  readonly user_id: UserId
  readonly reason?: string
}

/**
 * Makes actions that move money with their permission and once for their key, and records each of them or its refusal in the
 * audit log.
 */
export const make = Effect.gen(function* () {
  const actions = yield* StaffActions
  const audit = yield* Audit

  return <A extends Shown, E extends { readonly detail: unknown }>(
    { action, actor, kind, reason, ...keyed }: KeyedMoney<A>,
    fields: (made: A) => { readonly [Field in AuditField]?: Schema.Json },
    act: Effect.Effect<A, E>
  ) => {
    const recorded = Effect.tap(act, (made) =>
      audit.record({
        actor,
        action,
        subject: { kind, id: made.id },
        user_id: made.user_id,
        reason: (reason ?? made.reason ?? "").slice(0, 500),
        after: fields(made)
      })
    )
    const allowed = Effect.andThen(needs(actor, action), actions.once({ actor, ...keyed }, recorded))
    return Effect.tapError(allowed, ({ detail }) =>
      audit.refused({ actor, action, subject: { kind, id: keyed.key }, reason: String(detail).slice(0, 500) })
    )
  }
})
