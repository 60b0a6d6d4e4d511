import { Effect, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { MailChoices } from "../../announcements/MailChoices.ts"
import { text } from "../../pages/Html.ts"
import { redirect } from "../../pages/PageAnswer.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import { Pages } from "../desk/Pages.ts"
import type { Visit } from "../desk/Visit.ts"
import { newsPage } from "./NewsPage.ts"

/** The page on which a person turns news by mail off and on. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const choices = yield* MailChoices
    const pages = yield* Pages
    const path = yield* pathOf("account/news")
    const show = (visit: Visit) => Effect.map(choices.isOn(visit.user.id), (isOn) => newsPage(visit, isOn))

    yield* router.add("GET", path, pages.show(show))
    yield* router.add(
      "POST",
      path,
      pages.take({
        fields: Schema.Struct({ news: Schema.Literals(["on", "off"]) }),
        messages: { news: text("form.not_confirmed") },
        again: show,
        act: (visit, { news }) => Effect.as(choices.choose(visit.user.id, news === "on"), redirect(path))
      })
    )
  })
)
