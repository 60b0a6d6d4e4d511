import { Context } from "effect"

/** The id that a request is logged and answered with. */
export const RequestId = Context.Reference<string>("app/platform/RequestId", { defaultValue: () => "unknown" })
