import { Effect } from "effect"
import * as RequestDefect from "./RequestDefect.ts"

/** In the words of OAuth (RFC 6749 section 4.1.2.1), whose endpoints and those of agents answer in flat bodies. */
const errors = {
  413: { error: "invalid_request", text: "Send a body of at most 64 KiB, as a whole" },
  500: { error: "server_error", text: "Something went wrong on our side; quote the X-Request-Id to support" },
  503: { error: "temporarily_unavailable", text: "The database does not answer; try again in a moment" }
} as const

/** What such an endpoint answers when a request ended in a defect. */
export const ofDefect = (defect: unknown) =>
  Effect.map(RequestDefect.statusOf(defect), (status) => ({ status, ...errors[status] }))
