import { Effect, Schema } from "effect"
import { HttpApiBuilder, OpenApi } from "effect/http-api"
import { AdminApi } from "../../AdminApi.ts"
import { Actor } from "../Actor.ts"

const documentOf = Schema.decodeUnknownSync(Schema.Record(Schema.String, Schema.Json))

export const layer = HttpApiBuilder.group(
  AdminApi,
  "adminMe",
  Effect.fnUntraced(function* (handlers) {
    const document = yield* Effect.cached(Effect.sync(() => documentOf(OpenApi.fromApi(AdminApi))))

    return handlers.handleAll({
      getMe: Effect.fnUntraced(function* () {
        const { kind, name, permissions, role, staff_id } = yield* Actor
        if (kind === "cli" || kind === "system" || role === null || staff_id === null)
          return yield* Effect.die(new Error("The admin API let in an actor without a credential"))
        return { kind, staff_id, name, role, permissions: [...(permissions ?? [])] }
      }),
      getDocument: () => document
    })
  })
)
