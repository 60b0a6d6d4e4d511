import { Context } from "effect"

/** Id of a request, in its log lines and in its response. */
export const RequestId = Context.Reference<string>("app/platform/RequestId", { defaultValue: () => "unknown" })
