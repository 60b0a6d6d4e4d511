import { Effect, Schema, Struct } from "effect"
import { HttpRouter } from "effect/http"
import type { Faults } from "../../pages/Field.ts"
import { redirect } from "../../pages/PageAnswer.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import type { Submission } from "../../pages/Visitors.ts"
import { Webhooks } from "../../webhooks/Webhooks.ts"
import { WebhookTests } from "../../webhooks/WebhookTests.ts"
import { Pages } from "../desk/Pages.ts"
import type { Visit } from "../desk/Visit.ts"
import { messages, refusedUrl, Url } from "./EndpointFields.ts"
import { endpointId, makeShow } from "./ShowEndpoint.ts"

const NewUrl = Schema.Struct({ url: Url })

/** The page of one webhook endpoint. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const pages = yield* Pages
    const tests = yield* WebhookTests
    const webhooks = yield* Webhooks
    const show = yield* makeShow
    const home = yield* pathOf("webhooks")
    const path = `${home}/:endpoint_id` as const

    const again = (visit: Visit, faults: Faults, typed: Submission) => show(visit, { faults, typed })

    const change = (change: { readonly url?: string; readonly enabled?: boolean }, outcome: string) =>
      Effect.fnUntraced(function* ({ user }: Visit) {
        const id = yield* endpointId
        yield* Effect.catchTag(webhooks.change(user.id, id, change), "RequestInvalid", () =>
          Effect.fail(refusedUrl(change.url ?? ""))
        )
        return redirect(`${home}/${id}?outcome=${outcome}`)
      })

    const test = Effect.fnUntraced(function* ({ user }: Visit) {
      const id = yield* endpointId
      const { delivery_id } = yield* tests.send(user.id, id)
      return redirect(`${home}/${id}?test=${delivery_id}`)
    })

    const remove = Effect.fnUntraced(function* ({ user }: Visit) {
      yield* webhooks.remove(user.id, yield* endpointId)
      return redirect(`${home}?outcome=removed`)
    })

    const button = { fields: Schema.Struct({}), messages: {}, again }
    const url = { fields: NewUrl, messages: Struct.pick(messages, ["url"]), again }
    yield* router.add("GET", path, pages.show(show))
    yield* router.add("POST", `${path}/enable`, pages.take({ ...button, act: change({ enabled: true }, "enabled") }))
    yield* router.add("POST", `${path}/disable`, pages.take({ ...button, act: change({ enabled: false }, "disabled") }))
    yield* router.add("POST", `${path}/test`, pages.take({ ...button, act: test }))
    yield* router.add("POST", `${path}/remove`, pages.press(remove))
    yield* router.add(
      "POST",
      `${path}/url`,
      pages.take({ ...url, act: (visit, { url }) => change({ url }, "saved")(visit) })
    )
  })
)
