import { DateTime, Effect, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { randomUUID } from "node:crypto"
import { boxes, Nonce, timeValue, TypedTime } from "../../pages/FormSchemas.ts"
import { text } from "../../pages/Html.ts"
import { Text } from "../../platform/fields/Text.ts"
import { redirect } from "../../pages/PageAnswer.ts"
import { needs } from "../../staff/Actor.ts"
import { AnnouncementDesk } from "../../staff/announcements/AnnouncementDesk.ts"
import { EndReason, isWhole, NewAnnouncement } from "../../staff/announcements/NewAnnouncement.ts"
import { AdminPages } from "../desk/AdminPages.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"
import type { Typed } from "../desk/MoneyFields.ts"
import { announcementPage, announcementReview, announcementsPage, newAnnouncementPage } from "./AnnouncementPages.ts"

const perPage = 50
const isId = Schema.is(Schema.String.check(Schema.isUUID()))

const { audience, kind, title_en } = NewAnnouncement.fields
const Body = Text(3, 4_000)

const Form = Schema.Struct({
  kind,
  title_en,
  body_en: Body,
  title_de: Schema.optionalKey(title_en),
  body_de: Schema.optionalKey(Body),
  audience,
  audience_id: Schema.optionalKey(Schema.Trim.check(Schema.isBetweenLength(1, 200))),
  starts_at: TypedTime,
  ends_at: TypedTime,
  ways: boxes(Schema.Literals(["banner", "mail"])),
  key: Nonce,
  confirmed: Schema.optionalKey(Schema.Literal("yes"))
}).check(Schema.makeFilter((given) => isWhole(given) || { path: ["body_de"], issue: "both or none" }))

const messages = {
  kind: text("admin.action_wrong"),
  title_en: text("announce.title_wrong"),
  body_en: text("announce.body_wrong"),
  title_de: text("announce.title_wrong"),
  body_de: text("announce.de_wrong"),
  audience: text("admin.action_wrong"),
  audience_id: text("announce.to_wrong"),
  starts_at: text("form.time_wrong"),
  ends_at: text("form.time_wrong"),
  ways: text("announce.ways_wrong"),
  key: text("form.not_confirmed"),
  confirmed: text("form.not_confirmed")
}

type Given = typeof Form.Type

const wantedOf = ({ confirmed: _confirmed, key: _key, ways, ...given }: Given): typeof NewAnnouncement.Type => ({
  ...given,
  ...(given.audience_id !== undefined && {
    audience_id: given.audience === "country" ? given.audience_id.toUpperCase() : given.audience_id
  }),
  by_banner: ways.includes("banner"),
  by_mail: ways.includes("mail")
})

/** The fields that the page of the review sends again. */
const fieldsOf = ({ confirmed: _confirmed, ends_at, starts_at, ways, ...given }: Given) => [
  ...Object.entries({ ...given, starts_at: timeValue(starts_at), ends_at: timeValue(ends_at) }),
  ...ways.map((way) => ["ways", way] as const)
]

const showNew = Effect.fnUntraced(function* (
  visit: AdminVisit,
  typed: Typed & { readonly ways?: ReadonlyArray<string> } = {}
) {
  yield* needs(visit.actor, "announcement.change")
  const field = (name: string) =>
    typed.field === undefined && name === "starts_at" ? timeValue(DateTime.toUtc(visit.now)) : typed.field?.(name)
  return newAnnouncementPage(visit, randomUUID(), { ...typed, field })
})

/** The announcements, the form of a new one, and the page of one. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const announcements = yield* AnnouncementDesk
    const { pathTo, show, take } = yield* AdminPages

    const found = ({ actor }: AdminVisit) =>
      Effect.flatMap(HttpRouter.params, ({ announcement_id = "" }) => announcements.find(actor, announcement_id))
    const showOne = (visit: AdminVisit, typed: Parameters<typeof announcementPage>[3] = {}) =>
      Effect.map(found(visit), (one) => announcementPage(visit, one, randomUUID(), typed))

    yield* router.add(
      "GET",
      pathTo("announcements"),
      show((visit) => {
        const after = visit.query.get("after")
        const keyset = { limit: perPage, ...(isId(after) && { after }) }
        return Effect.map(announcements.list(visit.actor, keyset), (part) => announcementsPage(visit, part))
      })
    )
    yield* router.add(
      "GET",
      pathTo("announcements/new"),
      show((visit) => showNew(visit))
    )
    yield* router.add(
      "POST",
      pathTo("announcements/new"),
      take({
        fields: Form,
        messages,
        again: (visit, faults, { all, field }) => showNew(visit, { faults, field, ways: all("ways") }),
        act: Effect.fnUntraced(function* (visit, given) {
          const wanted = wantedOf(given)
          if (given.confirmed === undefined) {
            const recipients = yield* announcements.preview(visit.actor, wanted)
            return announcementReview(visit, { wanted, recipients }, fieldsOf(given))
          }
          const { answer } = yield* announcements.publish(visit.actor, given.key, wanted)
          return redirect(`${pathTo(`announcements/${answer.id}`)}?done=published`)
        })
      })
    )
    yield* router.add(
      "GET",
      pathTo("announcements/:announcement_id"),
      show((visit) => showOne(visit, visit.query.has("done") ? { notice: text("announce.published") } : {}))
    )
    yield* router.add(
      "POST",
      pathTo("announcements/:announcement_id"),
      take({
        fields: Schema.Struct({ reason: EndReason, key: Nonce }),
        messages: { reason: text("pause.reason_wrong"), key: text("form.not_confirmed") },
        again: (visit, faults, { field }) => showOne(visit, { faults, field }),
        act: Effect.fnUntraced(function* (visit, { key, reason }) {
          const { id } = yield* found(visit)
          yield* announcements.end(visit.actor, key, id, reason)
          return yield* showOne(visit, { notice: text("announce.was_ended") })
        })
      })
    )
  })
)
