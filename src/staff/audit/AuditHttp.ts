import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AdminApi } from "../../AdminApi.ts"
import { AuditLog } from "./AuditLog.ts"

export const layer = HttpApiBuilder.group(
  AdminApi,
  "adminAudit",
  Effect.fnUntraced(function* (handlers) {
    const log = yield* AuditLog
    return handlers.handleAll({ listAudit: ({ query }) => log.list(query) })
  })
)
