import { Data, Effect, Schema } from "effect"
import { HttpRouter } from "effect/http"

/** The address names nothing that exists. */
class NothingThere extends Data.TaggedError("NothingThere")<{ readonly status: 404; readonly detail: string }> {}

/** Reads an id in the path of the request. Fails like the service would for an id that does not exist. */
export const idInPath = <Id>(name: string, schema: Schema.Codec<Id, string>) =>
  Effect.mapError(
    Effect.map(HttpRouter.schemaPathParams(Schema.Struct({ [name]: schema })), (params) => params[name] as Id),
    () => new NothingThere({ status: 404, detail: "There is nothing at this address" })
  )
