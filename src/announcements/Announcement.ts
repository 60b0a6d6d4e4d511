import { Schema } from "effect"
import type { LanguageCode } from "../brand/LanguageCode.ts"

export const AnnouncementId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("AnnouncementId"))
export type AnnouncementId = typeof AnnouncementId.Type

/** `maintenance` is a window in which the service may not work. Its mails are no advertising. */
export const AnnouncementKind = Schema.Literals(["info", "warning", "maintenance"])
export type AnnouncementKind = typeof AnnouncementKind.Type

/** Everybody, the accounts with running proxies of a provider, a country or a kind, or one account. */
export const AudienceKind = Schema.Literals(["all", "provider", "country", "kind", "account"])

/** Who is told. */
const audienceFields = {
  audience: AudienceKind,
  /** The provider's name, the country's code, the kind, or the id of the account. Null for `all`. */
  audience_id: Schema.NullOr(Schema.String)
}
export interface Audience {
  readonly audience: typeof AudienceKind.Type
  readonly audience_id: string | null
}

/** A message of the operator to customers. Only its end and the progress of its mails change. */
export const Announcement = Schema.Struct({
  id: AnnouncementId,
  kind: AnnouncementKind,
  title_en: Schema.String,
  body_en: Schema.String,
  /** Null when it has only English words. */
  title_de: Schema.NullOr(Schema.String),
  body_de: Schema.NullOr(Schema.String),
  ...audienceFields,
  by_banner: Schema.Boolean,
  by_mail: Schema.Boolean,
  /** The window of a maintenance, or the time of the banner. */
  starts_at: Schema.DateTimeUtcFromDate,
  ends_at: Schema.DateTimeUtcFromDate,
  published_by: Schema.String,
  published_at: Schema.DateTimeUtcFromDate,
  /** The time at which a person ended it early. */
  ended_at: Schema.NullOr(Schema.DateTimeUtcFromDate),
  ended_by: Schema.NullOr(Schema.String),
  end_reason: Schema.NullOr(Schema.String),
  /** The time of the next page of mails; null without mails and after the last page. */
  mails_next_at: Schema.NullOr(Schema.DateTimeUtcFromDate),
  /** The number of mails in the queue or sent. */
  mails: Schema.Int
})
export type Announcement = typeof Announcement.Type

type Words = Pick<Announcement, "title_en" | "body_en" | "title_de" | "body_de">

/** The words in a language; in English when there are none in it. */
export const wordsIn = ({ body_de, body_en, title_de, title_en }: Words, language: LanguageCode) =>
  language === "de" && title_de !== null && body_de !== null
    ? { language: "de" as const, title: title_de, body: body_de }
    : { language: "en" as const, title: title_en, body: body_en }
