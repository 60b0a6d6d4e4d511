import { Schema } from "effect"
import { Announcement } from "../../announcements/Announcement.ts"

const Time = Schema.DateTimeUtcFromString

/** An announcement with who published it, and the progress of its mails. */
export const AnnouncementView = Schema.Struct({
  ...Announcement.fields,
  starts_at: Time,
  ends_at: Time,
  published_at: Time,
  ended_at: Schema.NullOr(Time).annotate({ description: "The time at which a person ended it early" }),
  mails_next_at: Schema.NullOr(Time).annotate({
    description: "The time of the next mails; null without mails and after the last"
  }),
  mails: Schema.Int.annotate({ description: "Mails in the queue or sent" })
}).annotate({ identifier: "PublishedAnnouncement" })
