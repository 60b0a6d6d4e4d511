import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AdminApi } from "../../AdminApi.ts"
import * as AnswerHeaders from "../../platform/requests/AnswerHeaders.ts"
import { Actor } from "../Actor.ts"
import { Reports } from "./Reports.ts"

export const layer = HttpApiBuilder.group(
  AdminApi,
  "adminReports",
  Effect.fnUntraced(function* (handlers) {
    const reports = yield* Reports
    return handlers.handleAll({
      getReport: Effect.fnUntraced(function* ({ params, query }) {
        return yield* reports.read(yield* Actor, { ...params, ...query })
      }),
      exportReport: Effect.fnUntraced(function* ({ params, query }) {
        const file = yield* reports.file(yield* Actor, { ...params, ...query })
        yield* AnswerHeaders.set({ "content-disposition": `attachment; filename="${params.name}.csv"` })
        return file
      })
    })
  })
)
