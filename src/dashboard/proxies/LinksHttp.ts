import { Effect, Schema, SchemaTransformation } from "effect"
import { HttpRouter } from "effect/http"
import { randomUUID } from "node:crypto"
import { Idempotency } from "../../idempotency/Idempotency.ts"
import { DownloadLinkId } from "../../orders/exports/DownloadLink.ts"
import { DownloadLinks } from "../../orders/exports/DownloadLinks.ts"
import { OrderSearch } from "../../orders/OrderSearch.ts"
import { text } from "../../pages/Html.ts"
import { redirect } from "../../pages/PageAnswer.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import type { Submission } from "../../pages/Visitors.ts"
import { Line } from "../../platform/fields/Line.ts"
import { idInPath } from "../desk/IdInPath.ts"
import { Pages } from "../desk/Pages.ts"
import { callerOf, type Visit } from "../desk/Visit.ts"
import { FormatChoice, readExport } from "./ExportChoice.ts"
import { type Links, linksPage } from "./LinksPage.ts"

const { proxy_status, proxy_type, q, sort } = OrderSearch.fields

const Country = Schema.Trim.pipe(
  Schema.decodeTo(
    Schema.String.check(Schema.isPattern(/^[A-Za-z]{2}$/)).pipe(Schema.decode(SchemaTransformation.toUpperCase()))
  )
)

const NewLink = Schema.Struct({
  name: Schema.Trim.pipe(Schema.decodeTo(Line(1, 100))),
  format: FormatChoice,
  template: Schema.optionalKey(Schema.String),
  q,
  country: Schema.optionalKey(Country),
  proxy_type,
  proxy_status,
  sort,
  nonce: Schema.String.check(Schema.isUUID())
})

const messages = {
  name: text("proxy_list.link_name_wrong"),
  format: text("form.not_confirmed"),
  template: text("failure.TemplateWrong"),
  q: text("proxy_list.search_wrong"),
  country: text("proxy_list.country_wrong"),
  proxy_type: text("form.not_confirmed"),
  proxy_status: text("form.not_confirmed"),
  sort: text("form.not_confirmed"),
  nonce: text("form.not_confirmed")
} as const

/** The page of the download links. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const idempotency = yield* Idempotency
    const links = yield* DownloadLinks
    const pages = yield* Pages
    const path = `${yield* pathOf("proxies")}/links` as const

    const show = Effect.fnUntraced(function* (visit: Visit, more: Partial<Links> = {}) {
      const notice = visit.query.get("outcome") === "revoked" ? text("proxy_list.link_revoked") : undefined
      return linksPage(visit, { links: yield* links.list(visit.user.id), nonce: randomUUID(), notice, ...more })
    })

    /** Creates a link once for each form. A form that is sent again gets none, because the first answer showed it. */
    const create = Effect.fnUntraced(function* (
      visit: Visit,
      { format, nonce, template, ...rest }: typeof NewLink.Type
    ) {
      const { user } = visit
      const caller = callerOf(visit)
      const form = yield* readExport(format, template)
      const settings = { ...rest, format: form.format, ...(form.template != null && { template: form.template }) }
      let url: string | undefined
      yield* idempotency.perform(
        { user_id: user.id, operation: "create_download_link", key: nonce, body: settings },
        {
          reference: [],
          charge: Effect.map(links.create(caller, settings), (created) => {
            url = created.url
          }),
          // An answer of null would be no answer.
          finish: () => Effect.succeed(true)
        }
      )
      return yield* show(visit, { created: { name: rest.name, url } })
    })

    const again = (visit: Visit, faults: Links["faults"], typed: Submission) =>
      show(visit, { typed, ...(faults !== undefined && { faults }) })

    const revoke = Effect.fnUntraced(function* (visit: Visit) {
      yield* links.revoke(visit.user.id, yield* idInPath("link_id", DownloadLinkId))
      return redirect(`${path}?outcome=revoked`)
    })

    yield* router.add("GET", path, pages.show(show))
    yield* router.add("POST", path, pages.take({ fields: NewLink, messages, again, act: create }))
    yield* router.add("POST", `${path}/:link_id/revoke`, pages.press(revoke))
  })
)
