import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import { Brand, type LegalText } from "../brand/Brand.ts"
import { html } from "../pages/Html.ts"
import { type Page, widePage } from "../pages/Layout.ts"
import { markdownText } from "../pages/MarkdownText.ts"
import { makeAnswer } from "../pages/PageAnswer.ts"
import { pathOf } from "../pages/PagePaths.ts"

const legalPage = ({ blocks, title }: LegalText): Page =>
  widePage(
    title,
    html`<h1>${title}</h1>
      ${markdownText(blocks)}`
  )

/** The pages of the brand's legal texts. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const answer = yield* makeAnswer
    const { legal } = yield* Brand
    for (const text of legal)
      yield* router.add("GET", yield* pathOf(`legal/${text.name}`), answer(200, legalPage(text)))
  })
)
