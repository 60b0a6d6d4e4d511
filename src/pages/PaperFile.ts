import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { Brand } from "../brand/Brand.ts"
import * as Language from "../brand/Language.ts"
import * as PageCookies from "./PageCookies.ts"

/** Makes the function that answers with a document as a PDF file, in the language of the request. */
export const makePaperFile = Effect.gen(function* () {
  const languages = Language.ofBrand(yield* Brand)
  const languageOf = yield* PageCookies.makeLanguage

  return <E, R>(name: string, print: (language: Language.Language) => Effect.Effect<Uint8Array, E, R>) =>
    Effect.gen(function* () {
      const file = yield* print(languages[yield* languageOf])
      return HttpServerResponse.uint8Array(file, {
        contentType: "application/pdf",
        headers: {
          "cache-control": "no-store",
          "content-disposition": `attachment; filename="${name}.pdf"`,
          "x-content-type-options": "nosniff"
        }
      })
    })
})
