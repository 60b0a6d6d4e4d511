import type { DateTime } from "effect"
import type { Keyset } from "../Keyset.ts"

/** Which events a page of the log shows, the newest first. */
export interface AuditFilter extends Keyset {
  readonly staff_id?: string
  readonly action?: string
  readonly outcome?: "done" | "refused"
  readonly subject_id?: string
  readonly user_id?: string
  readonly from?: DateTime.Utc
  readonly to?: DateTime.Utc
}
