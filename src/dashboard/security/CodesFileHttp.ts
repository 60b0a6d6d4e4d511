import { Effect, Schema } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { Brand } from "../../brand/Brand.ts"
import { text } from "../../pages/Html.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import { Pages } from "../desk/Pages.ts"
import { refusedPage } from "../desk/RefusedPage.ts"
import type { Visit } from "../desk/Visit.ts"

const code = "[a-z2-7]{4}(?:-[a-z2-7]{4}){3}"

const Codes = Schema.Struct({ codes: Schema.String.check(Schema.isPattern(new RegExp(`^${code}(?: ${code}){0,9}$`))) })

/** Sends recovery codes back as a file. The service has only their hashes, so the form brings the codes. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const { name } = yield* Brand
    const pages = yield* Pages
    const path = yield* pathOf("security")

    const send = (_: Visit, { codes }: typeof Codes.Type) =>
      Effect.succeed(
        HttpServerResponse.text([name, "", ...codes.split(" "), ""].join("\r\n"), {
          contentType: "text/plain; charset=utf-8",
          headers: {
            "cache-control": "no-store",
            "content-disposition": 'attachment; filename="recovery-codes.txt"',
            "x-content-type-options": "nosniff"
          }
        })
      )

    yield* router.add(
      "POST",
      `${path}/recovery-codes/file`,
      pages.take({
        fields: Codes,
        messages: { codes: text("security.codes_wrong") },
        again: (visit, faults) => Effect.succeed(refusedPage(visit, path, faults)),
        act: send
      })
    )
  })
)
