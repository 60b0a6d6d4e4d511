import { Effect, Schema, Struct } from "effect"
import { HttpRouter } from "effect/http"
import { Idempotency } from "../../idempotency/Idempotency.ts"
import type { Faults } from "../../pages/Field.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import type { Submission } from "../../pages/Visitors.ts"
import { Nonce } from "../../pages/FormSchemas.ts"
import { Webhooks } from "../../webhooks/Webhooks.ts"
import { Pages } from "../desk/Pages.ts"
import type { Visit } from "../desk/Visit.ts"
import { messages } from "./EndpointFields.ts"
import { endpointId, makeShow } from "./ShowEndpoint.ts"

const Rotation = Schema.Struct({
  overlap_seconds: Schema.Literals(["0", "3600", "86400", "604800"]),
  nonce: Nonce
})

/** The form that replaces the signing secret of an endpoint. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const idempotency = yield* Idempotency
    const pages = yield* Pages
    const webhooks = yield* Webhooks
    const show = yield* makeShow
    const path = `${yield* pathOf("webhooks")}/:endpoint_id/secret` as const

    const again = (visit: Visit, faults: Faults, typed: Submission) => show(visit, { faults, typed })

    /** Replaces the secret once for each form. A form that is sent again gets none: the first answer showed it. */
    const rotate = Effect.fnUntraced(function* (visit: Visit, { nonce, overlap_seconds }: typeof Rotation.Type) {
      const id = yield* endpointId
      const { user } = visit
      let secret: string | undefined
      yield* idempotency.perform(
        { user_id: user.id, operation: "rotate_webhook_secret", key: nonce, body: { id, overlap_seconds } },
        {
          reference: [],
          charge: Effect.map(webhooks.rotateSecret(user.id, id, Number(overlap_seconds)), (endpoint) => {
            secret = endpoint.signing_secret
          }),
          // An answer of null would be no answer.
          finish: () => Effect.succeed(true)
        }
      )
      return yield* show(visit, { rotated: { secret } })
    })

    const fields = { fields: Rotation, messages: Struct.pick(messages, ["overlap_seconds", "nonce"]) }
    yield* router.add("POST", path, pages.take({ ...fields, again, act: rotate }))
  })
)
