import { Schema } from "effect"
import { ApiError } from "../../platform/errors/ApiError.ts"

/** The most links of an account. */
export const linksPerAccount = 20

export class DownloadLinkNotFound extends ApiError<DownloadLinkNotFound>()("DownloadLinkNotFound", {
  status: 404,
  detail: "You have no such download link"
}) {}

export class DownloadNotFound extends ApiError<DownloadNotFound>()("DownloadNotFound", {
  status: 404,
  detail: "There is no such download; its link may be revoked"
}) {}

export class TooManyDownloadLinks extends ApiError<TooManyDownloadLinks>()(
  "TooManyDownloadLinks",
  { status: 409, detail: `An account has at most ${linksPerAccount} download links; revoke one first` },
  { reason: Schema.tag("too_many_download_links") }
) {}
