import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AnnouncementId } from "../../announcements/Announcement.ts"
import {
  AnnouncementNotFound,
  AnnouncementOver,
  AnnouncementTimeInvalid,
  AudienceNotFound
} from "../../announcements/AnnouncementErrors.ts"
import { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import * as Keyset from "../Keyset.ts"
import * as StaffActionApi from "../StaffActionApi.ts"
import { RequiredPermission, StaffAuthentication } from "../StaffAuthenticationApi.ts"
import { ActionKeyReused } from "../StaffErrors.ts"
import { AnnouncementView } from "./AnnouncementView.ts"
import { EndReason, NewAnnouncement } from "./NewAnnouncement.ts"

const about = (summary: string, description: string) => OpenApi.annotations({ summary, description })
const params = { announcement_id: AnnouncementId }
const faulty = [AnnouncementTimeInvalid, AudienceNotFound, RequestInvalid] as const

const reads = HttpApiGroup.make("adminAnnouncements").add(
  HttpApiEndpoint.get("listAnnouncements", "/announcements", {
    query: Keyset.query,
    success: Keyset.view(AnnouncementView).annotate({ identifier: "AnnouncementPage" })
  })
    .annotate(RequiredPermission, "announcement.read")
    .annotateMerge(about("List announcements", "The newest first, with the number of mails.")),
  HttpApiEndpoint.get("getAnnouncement", "/announcements/:announcement_id", {
    params,
    success: AnnouncementView,
    error: AnnouncementNotFound
  })
    .annotate(RequiredPermission, "announcement.read")
    .annotateMerge(about("Show an announcement", "Shows its words, its time and how far its mails are."))
)

/** Messages of the operator to customers. */
export class AnnouncementsApi extends reads
  .add(
    HttpApiEndpoint.post("previewAnnouncement", "/announcements/preview", {
      payload: NewAnnouncement,
      success: Schema.Struct({
        recipients: Schema.Int.annotate({ description: "Accounts that would get a mail now", examples: [1204] })
      }).annotate({ identifier: "AnnouncementPreview" }),
      error: faulty
    })
      .annotate(RequiredPermission, "announcement.change")
      .annotateMerge(
        about(
          "Preview an announcement",
          "Checks it, and counts the accounts with a verified address that would get a mail. Suspended ones get none, and no news those that turned news off. Publishes nothing."
        )
      ),
    HttpApiEndpoint.post("publishAnnouncement", "/announcements", {
      headers: StaffActionApi.headers,
      payload: NewAnnouncement,
      success: StaffActionApi.replayable(AnnouncementView.pipe(HttpApiSchema.status(201))),
      error: [...faulty, ActionKeyReused]
    })
      .annotate(RequiredPermission, "announcement.change")
      .annotateMerge(
        about(
          "Publish an announcement",
          "A job mails it, to each account at most once; `mails` counts. Mails of a maintenance leave at once, others from `starts_at`. A maintenance stands on the pages from now on, others from `starts_at`."
        )
      ),
    HttpApiEndpoint.post("endAnnouncement", "/announcements/:announcement_id/end", {
      params,
      headers: StaffActionApi.headers,
      payload: Schema.Struct({ reason: EndReason }).annotate({ identifier: "EndAnnouncement" }),
      success: StaffActionApi.replayable(AnnouncementView),
      error: [AnnouncementNotFound, AnnouncementOver, ActionKeyReused]
    })
      .annotate(RequiredPermission, "announcement.change")
      .annotateMerge(about("End an announcement", "Removes it from the pages, and stops the mails that are not sent."))
  )
  .middleware(StaffAuthentication)
  .annotate(OpenApi.Title, "Announcements")
  .annotate(OpenApi.Description, "Messages on the pages of customers and by mail; maintenance windows.") {}
