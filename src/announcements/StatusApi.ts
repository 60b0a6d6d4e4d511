import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Anonymous } from "../accounts/Authentication.ts"
import { type Announcement, AnnouncementId, AnnouncementKind } from "./Announcement.ts"

const Words = Schema.Struct({ title: Schema.String, body: Schema.String })
const Time = Schema.DateTimeUtcFromString

const View = Schema.Struct({
  id: AnnouncementId,
  kind: AnnouncementKind.annotate({
    description: "`maintenance`: the service may not work from `starts_at` to `ends_at`",
    examples: ["maintenance"]
  }),
  starts_at: Time,
  ends_at: Time,
  en: Words.annotate({ description: "The words in English" }),
  de: Schema.NullOr(Words).annotate({ description: "The words in German, or null" })
}).annotate({ identifier: "Announcement" })

/** Shows an announcement without what only staff may see. */
export const announcementView = (one: Announcement): typeof View.Type => ({
  id: one.id,
  kind: one.kind,
  starts_at: one.starts_at,
  ends_at: one.ends_at,
  en: { title: one.title_en, body: one.body_en },
  de: one.title_de === null || one.body_de === null ? null : { title: one.title_de, body: one.body_de }
})

/** Announcements to everybody, beyond the operations of the contract. */
export class StatusApi extends HttpApiGroup.make("status")
  .add(
    HttpApiEndpoint.get("status", "/status", {
      success: Schema.Struct({
        status: Schema.Literals(["ok", "maintenance"]).annotate({
          description: "`maintenance` while a maintenance window is open",
          examples: ["ok"]
        }),
        announcements: Schema.Array(View).annotate({
          description: "At most 3: maintenance windows from their publication to their end, then messages of now"
        })
      }).annotate({ identifier: "ServiceStatus" })
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Get announcements",
        description:
          "Returns the operator's messages to everybody and the maintenance windows, past ones excepted. Needs no credentials."
      })
    )
  )
  .middleware(Anonymous)
  .annotateMerge(OpenApi.annotations({ title: "Status", description: "Maintenance and messages of the operator" })) {}
