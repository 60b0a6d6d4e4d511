import { DateTime, Effect } from "effect"
import type { RequestStatus } from "./Adjustment.ts"
import { mayDecide, type MoneyActor } from "./MoneyActor.ts"
import { AlreadyDecided, MayNotDecide, SelfApproval } from "./MoneyErrors.ts"

/** The time in which a second person decides about a request. */
const patience = { hours: 72 }

/** The fields of a new record that nobody has decided about. */
export const createdBy = ({ id, name, role }: MoneyActor, now: DateTime.Utc) => ({
  created_by: id,
  created_by_name: name,
  created_by_role: role,
  decided_by: null,
  decided_by_name: null,
  created_at: now,
  expires_at: DateTime.add(now, patience)
})

/** The decision about a request; `by` is null when nobody else had to agree. */
export interface Decision {
  readonly status: Exclude<RequestStatus, "requested">
  readonly by: MoneyActor | null
}

interface Decidable {
  readonly status: RequestStatus
  readonly created_by: string
  readonly decided_by: string | null
  readonly expires_at: DateTime.Utc
}

export type NotDecided = AlreadyDecided | SelfApproval | MayNotDecide

/** True when the actor made this decision before. Fails when the actor may not make it, or when it is too late. */
export const isRepeated = Effect.fnUntraced(function* (
  actor: MoneyActor,
  { created_by, decided_by, expires_at, status }: Decidable,
  decision: "booked" | "declined"
): Effect.fn.Return<boolean, NotDecided> {
  if (!mayDecide(actor)) return yield* new MayNotDecide({ details: {} })
  if (status === decision && decided_by === actor.id) return true
  if (status !== "requested") return yield* new AlreadyDecided({ details: { status } })
  if (DateTime.isLessThanOrEqualTo(expires_at, yield* DateTime.now))
    return yield* new AlreadyDecided({ details: { status: "expired" } })
  if (created_by === actor.id) return yield* new SelfApproval({ details: {} })
  return false
})
