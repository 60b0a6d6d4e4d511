import { Effect, Schema, Struct } from "effect"
import { HttpRouter } from "effect/http"
import { randomUUID } from "node:crypto"
import { Idempotency } from "../../idempotency/Idempotency.ts"
import type { Faults } from "../../pages/Field.ts"
import { text } from "../../pages/Html.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import type { Submission } from "../../pages/Visitors.ts"
import { Nonce } from "../../pages/FormSchemas.ts"
import { endpointsPerAccount, type WebhookEndpoint } from "../../webhooks/WebhookEndpoint.ts"
import { Webhooks } from "../../webhooks/Webhooks.ts"
import { Pages } from "../desk/Pages.ts"
import { callerOf, type Visit } from "../desk/Visit.ts"
import { messages, refusedUrl, Url } from "./EndpointFields.ts"
import { type Endpoints, endpointsPage } from "./EndpointsPage.ts"

const NewEndpoint = Schema.Struct({ url: Url, enabled: Schema.optionalKey(Schema.Literal("on")), nonce: Nonce })

/** The page of all webhook endpoints. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const idempotency = yield* Idempotency
    const pages = yield* Pages
    const webhooks = yield* Webhooks
    const path = yield* pathOf("webhooks")

    const show = Effect.fnUntraced(function* (visit: Visit, more: Partial<Endpoints> = {}) {
      const found = yield* webhooks.list(visit.user.id, { limit: endpointsPerAccount, offset: 0 })
      const notice = visit.query.get("outcome") === "removed" ? text("webhooks.removed") : undefined
      return endpointsPage(visit, { endpoints: found.webhooks, nonce: randomUUID(), notice, ...more })
    })

    /** Creates an endpoint once for each form. A form that is sent again gets no secret: the first answer showed it. */
    const create = Effect.fnUntraced(function* (visit: Visit, { enabled, nonce, url }: typeof NewEndpoint.Type) {
      const { user } = visit
      const caller = callerOf(visit)
      const settings = { url, enabled: enabled === "on" }
      const creation = yield* Effect.mapError(webhooks.prepare(caller, settings), () => refusedUrl(url))
      let created: WebhookEndpoint | undefined
      yield* idempotency.perform(
        { user_id: user.id, operation: "create_webhook", key: nonce, body: settings },
        {
          reference: [],
          charge: Effect.map(creation, (endpoint) => void (created = endpoint)),
          // An answer of null would be no answer.
          finish: () => Effect.succeed(true)
        }
      )
      return yield* show(visit, { created: { id: created?.id, secret: created?.signing_secret } })
    })

    const again = (visit: Visit, faults: Faults, typed: Submission) => show(visit, { typed, faults })

    yield* router.add("GET", path, pages.show(show))
    yield* router.add(
      "POST",
      path,
      pages.take({
        fields: NewEndpoint,
        messages: Struct.pick(messages, ["url", "enabled", "nonce"]),
        again,
        act: create
      })
    )
  })
)
