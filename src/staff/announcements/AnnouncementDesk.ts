import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { type Announcement, AnnouncementId } from "../../announcements/Announcement.ts"
import {
  AnnouncementNotFound,
  type AnnouncementOver,
  type AnnouncementTimeInvalid,
  type AudienceNotFound
} from "../../announcements/AnnouncementErrors.ts"
import { Announcements } from "../../announcements/Announcements.ts"
import { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import { type Actor, needs, type PermissionNeeded } from "../Actor.ts"
import { Audit } from "../audit/Audit.ts"
import * as Guard from "../audit/Guard.ts"
import * as Keyset from "../Keyset.ts"
import { StaffActions } from "../StaffActions.ts"
import type { ActionKeyReused } from "../StaffErrors.ts"
import { AnnouncementView } from "./AnnouncementView.ts"
import { isWhole, type NewAnnouncement } from "./NewAnnouncement.ts"

type By = Actor["Service"]
type Wanted = typeof NewAnnouncement.Type

interface Outcome {
  readonly answer: Announcement
  readonly replayed: boolean
}

type Refused = PermissionNeeded | ActionKeyReused
type Faulty = AnnouncementTimeInvalid | AudienceNotFound

const reads = (actor: By) => needs(actor, "announcement.read")

const isId = Schema.is(AnnouncementId)

const shown = ({ audience, audience_id, ends_at, kind, starts_at, title_en }: Announcement) => ({
  kind,
  title: title_en,
  scope: audience,
  scope_id: audience_id,
  starts_at: DateTime.formatIso(starts_at),
  ends_at: DateTime.formatIso(ends_at)
})

const contentOf = (wanted: Wanted): Schema.Json => ({
  ...wanted,
  title_de: wanted.title_de ?? null,
  body_de: wanted.body_de ?? null,
  audience_id: wanted.audience_id ?? null,
  starts_at: DateTime.formatIso(wanted.starts_at),
  ends_at: DateTime.formatIso(wanted.ends_at)
})

/** Refuses what no field alone shows. */
const check = Effect.fnUntraced(function* (wanted: Wanted) {
  if (!isWhole(wanted))
    return yield* RequestInvalid.at(["body", "body_de"], "Give title and text in German, or neither")
  if (!wanted.by_banner && !wanted.by_mail)
    return yield* RequestInvalid.at(["body", "by_banner"], "Choose the banner, the mail, or both")
})

/** The announcements, for staff: who may, the key, and the audit log. */
export class AnnouncementDesk extends Context.Service<
  AnnouncementDesk,
  {
    readonly list: (
      actor: By,
      page: Keyset.Keyset
    ) => Effect.Effect<{ readonly items: ReadonlyArray<Announcement>; readonly next: string | null }, PermissionNeeded>
    /** Finds by any text that may be an id. */
    readonly find: (actor: By, id: string) => Effect.Effect<Announcement, PermissionNeeded | AnnouncementNotFound>
    /** The number of accounts that would get a mail now. Refuses what could not be published. */
    readonly preview: (actor: By, wanted: Wanted) => Effect.Effect<number, PermissionNeeded | Faulty | RequestInvalid>
    /** The key becomes the id of the announcement. */
    readonly publish: (
      actor: By,
      key: string,
      wanted: Wanted
    ) => Effect.Effect<Outcome, Refused | Faulty | RequestInvalid>
    readonly end: (
      actor: By,
      key: string,
      id: AnnouncementId,
      reason: string
    ) => Effect.Effect<Outcome, Refused | AnnouncementNotFound | AnnouncementOver>
  }
>()("app/staff/AnnouncementDesk") {
  static readonly layerNoDeps = Layer.effect(
    AnnouncementDesk,
    Effect.gen(function* () {
      const actions = yield* StaffActions
      const announcements = yield* Announcements
      const audit = yield* Audit
      const guard = yield* Guard.make

      const acting = <E>(
        keyed: {
          readonly actor: By
          readonly key: string
          readonly id: string
          readonly operation: string
          readonly content: Schema.Json
        },
        act: Effect.Effect<Announcement, E>
      ) => {
        const { actor, id, ...named } = keyed
        const attempt = { actor, permission: "announcement.change" as const, subject: { kind: "announcement", id } }
        return guard.allow(attempt, actions.once({ actor, ...named, answer: AnnouncementView }, act))
      }

      const record = (actor: By, one: Announcement, state: "published" | "ended", reason: string | null) =>
        audit.record({
          actor,
          action: "announcement.change",
          subject: { kind: "announcement", id: one.id },
          after: { ...shown(one), state },
          reason
        })

      return AnnouncementDesk.of({
        list: (actor, { after, limit }) =>
          Effect.andThen(
            reads(actor),
            Effect.map(announcements.list(limit + 1, after), (rows) => Keyset.pageOf(rows, limit))
          ),
        find: Effect.fn("AnnouncementDesk.find")(function* (actor, id) {
          yield* reads(actor)
          return isId(id) ? yield* announcements.find(id) : yield* new AnnouncementNotFound()
        }),
        preview: Effect.fn("AnnouncementDesk.preview")(function* (actor, wanted) {
          yield* needs(actor, "announcement.change")
          yield* check(wanted)
          return yield* announcements.reach({ ...wanted, audience_id: wanted.audience_id ?? null })
        }),
        publish: Effect.fn("AnnouncementDesk.publish")((actor, key, wanted) => {
          const id = AnnouncementId.make(key.toLowerCase())
          const { audience_id = null, body_de = null, title_de = null, ...rest } = wanted
          const given = { ...rest, id, audience_id, body_de, title_de, published_by: actor.name.slice(0, 200) }
          return acting(
            { actor, key, id, operation: "publishAnnouncement", content: contentOf(wanted) },
            check(wanted).pipe(
              Effect.andThen(announcements.publish(given)),
              Effect.tap((one) => record(actor, one, "published", null))
            )
          )
        }),
        end: Effect.fn("AnnouncementDesk.end")((actor, key, id, reason) =>
          acting(
            { actor, key, id, operation: "endAnnouncement", content: { id, reason } },
            Effect.tap(announcements.end(id, { by: actor.name.slice(0, 200), reason }), (one) =>
              record(actor, one, "ended", reason)
            )
          )
        )
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([Announcements.layer, Audit.layer, StaffActions.layer]))
}
