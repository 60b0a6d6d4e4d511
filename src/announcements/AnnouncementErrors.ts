import { Schema } from "effect"
import { ApiError } from "../platform/errors/ApiError.ts"

export class AnnouncementNotFound extends ApiError<AnnouncementNotFound>()("AnnouncementNotFound", {
  status: 404,
  detail: "There is no such announcement"
}) {}

export class AudienceNotFound extends ApiError<AudienceNotFound>()("AudienceNotFound", {
  status: 404,
  detail: "There is no such provider, country, kind or account"
}) {}

export class AnnouncementTimeInvalid extends ApiError<AnnouncementTimeInvalid>()("AnnouncementTimeInvalid", {
  status: 422,
  detail: "The end must be later than the start, in the future, and within a year"
}) {}

export class AnnouncementOver extends ApiError<AnnouncementOver>()(
  "AnnouncementOver",
  { status: 409, detail: "The announcement has ended before" },
  { reason: Schema.tag("announcement_over") }
) {}
