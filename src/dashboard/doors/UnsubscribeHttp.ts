import { Effect } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { MailChoices } from "../../announcements/MailChoices.ts"
import { makeAnswer } from "../../pages/PageAnswer.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import * as RequestQuery from "../../pages/RequestQuery.ts"
import * as FormText from "../../platform/fields/FormText.ts"
import { subscribed, unsubscribed, unsubscribePage, unsubscribeUnknown } from "./UnsubscribePage.ts"

/**
 * The page on which a reader turns news by mail off. A mail program sends the same form with `List-Unsubscribe=One-Click`
 * (RFC 8058), so the code alone proves the reader: there is no sign-in and no form token.
 */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const answer = yield* makeAnswer
    const choices = yield* MailChoices
    const path = yield* pathOf("unsubscribe")
    const code = Effect.map(RequestQuery.parameters, (query) => query.get("code") ?? "")

    yield* router.add("GET", path, answer(200, unsubscribePage))
    yield* router.add(
      "POST",
      path,
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const isOn = FormText.parse(yield* Effect.orDie(request.text)).get("choice") === "on"
        const isKnown = yield* Effect.flatMap(code, isOn ? choices.turnOn : choices.turnOff)
        if (!isKnown) return yield* answer(404, unsubscribeUnknown)
        return yield* answer(200, isOn ? subscribed : unsubscribed)
      })
    )
  })
)
