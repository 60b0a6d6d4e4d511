import { Effect } from "effect"
import * as RequestDefect from "./RequestDefect.ts"

/**
 * The error code of OAuth (RFC 6749, section 4.1.2.1) and the text for each status of a defect. The endpoints of OAuth
 * and of agents answer with flat bodies.
 */
const errors = {
  413: { error: "invalid_request", text: "Send a complete body of at most 64 KiB" },
  500: { error: "server_error", text: "Something went wrong on our side; send the X-Request-Id to support" },
  503: { error: "temporarily_unavailable", text: RequestDefect.details[503] }
} as const

/** Finds the status and the flat body for a defect. */
export const ofDefect = (defect: unknown) =>
  Effect.map(RequestDefect.statusOf(defect), (status) => ({ status, ...errors[status] }))
