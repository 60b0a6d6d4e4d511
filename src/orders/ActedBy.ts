import { Schema } from "effect"
import type { Caller } from "../accounts/Caller.ts"

/** The credential of whoever acts, or the service itself. */
export const Actor = Schema.Literals(["session", "api_key", "oauth", "service"])

/** Who acted. `actor_id` is the id of the API key or of the OAuth client; null for all others. */
export interface ActedBy {
  readonly actor: typeof Actor.Type
  readonly actor_id: string | null
}

export const byService: ActedBy = { actor: "service", actor_id: null }

export const byCaller = ({ credential }: Caller["Service"]): ActedBy => {
  if (credential._tag === "session") return { actor: "session", actor_id: null }
  if (credential._tag === "api_key") return { actor: "api_key", actor_id: credential.api_key_id }
  return { actor: "oauth", actor_id: credential.client_id }
}
