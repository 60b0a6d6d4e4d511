import { Schema } from "effect"
import { AnnouncementKind, AudienceKind } from "../../announcements/Announcement.ts"
import { Line } from "../../platform/fields/Line.ts"
import { optional } from "../../platform/fields/Optional.ts"
import { Text } from "../../platform/fields/Text.ts"

const Time = Schema.DateTimeUtcFromString
const Title = Line(3, 120)
const Body = Text(3, 4_000)

/** Who is told. */
const audience = {
  audience: AudienceKind.annotate({
    description: "Accounts with running proxies of a provider, a country or a kind; or one account",
    examples: ["provider"]
  }),
  audience_id: optional(Line(1, 200), {
    description: "The provider, the country's code, the kind, or the id of the account; absent for `all`"
  })
}

/** The choices of a person for an announcement. */
export const NewAnnouncement = Schema.Struct({
  kind: AnnouncementKind.annotate({
    description:
      "`maintenance`: the service may not work in this time. The others are news, which readers can turn off",
    examples: ["maintenance"]
  }),
  title_en: Title.annotate({ examples: ["Maintenance on Sunday"] }),
  body_en: Body.annotate({ examples: ["New orders wait for up to 10 minutes. Proxies go on working."] }),
  title_de: optional(Title),
  body_de: optional(Body, { description: "Title and text in German, both or none" }),
  ...audience,
  by_banner: Schema.Boolean.annotate({
    description: "Shown on the pages of these customers; for `all` in the API too"
  }),
  by_mail: Schema.Boolean,
  starts_at: Time,
  ends_at: Time.annotate({ description: "Within a year" })
}).annotate({ identifier: "NewAnnouncement" })

/** The words of a person who ends an announcement. */
export const EndReason = Line(3, 500).annotate({
  description: "For staff and the audit log",
  examples: ["The work is done"]
})

/** The languages of the given words: German is whole or absent. */
export const isWhole = ({ body_de, title_de }: Pick<typeof NewAnnouncement.Type, "body_de" | "title_de">) =>
  (body_de === undefined) === (title_de === undefined)
