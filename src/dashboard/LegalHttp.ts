import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import { Brand, type LegalText } from "../brand/Brand.ts"
import { escaped } from "./Html.ts"
import { type Page, widePage } from "./Layout.ts"
import { markdownText } from "./MarkdownText.ts"
import { makeAnswer } from "./PageAnswer.ts"
import { pathOf } from "./PagePaths.ts"

const legalPage = ({ blocks, title }: LegalText): Page =>
  widePage(title, escaped`<h1>${title}</h1>${markdownText(blocks)}`)

/** The pages of the brand's legal texts. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const answer = yield* makeAnswer
    const { legal } = yield* Brand
    for (const text of legal)
      yield* router.add("GET", yield* pathOf(`legal/${text.name}`), answer(200, legalPage(text)))
  })
)
