import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Caller } from "../../accounts/Caller.ts"
import { Api } from "../../Api.ts"
import { DownloadLinks } from "./DownloadLinks.ts"
import { exportAnswer } from "./ExportAnswer.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "download-links",
  Effect.fnUntraced(function* (handlers) {
    const links = yield* DownloadLinks

    return handlers.handleAll({
      create: Effect.fnUntraced(function* ({ payload }) {
        const { link, url } = yield* links.create(yield* Caller, payload)
        return { ...link, url }
      }),
      list: Effect.fnUntraced(function* () {
        const download_links = yield* links.list((yield* Caller).user_id)
        return { download_links, total: download_links.length }
      }),
      revoke: Effect.fnUntraced(function* ({ params }) {
        yield* links.revoke((yield* Caller).user_id, params.link_id)
      }),
      download: Effect.fnUntraced(function* ({ params }) {
        return exportAnswer(yield* links.download(params.token))
      })
    })
  })
)
