import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../Api.ts"
import { session } from "../Caller.ts"
import { CredentialChanges } from "../CredentialChanges.ts"
import { OwnSessions } from "./OwnSessions.ts"
import { sessionView } from "./SessionView.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "sessions",
  Effect.fnUntraced(function* (handlers) {
    const changes = yield* CredentialChanges
    const own = yield* OwnSessions

    return handlers.handleAll({
      list: Effect.fnUntraced(function* ({ query }) {
        const { session_id, user_id } = yield* session
        const { sessions, total } = yield* own.list(user_id, query)
        return { sessions: sessions.map((one) => sessionView(one, session_id)), total, ...query }
      }),
      end: Effect.fnUntraced(function* ({ params }) {
        const { user_id } = yield* session
        yield* own.end(user_id, params.session_id)
        yield* changes.caughtUp
      }),
      endOthers: Effect.fnUntraced(function* () {
        const { session_id, user_id } = yield* session
        yield* own.endOthers(user_id, session_id)
        yield* changes.caughtUp
      })
    })
  })
)
