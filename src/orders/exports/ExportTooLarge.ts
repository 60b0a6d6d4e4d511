import { Schema } from "effect"
import { ApiError } from "../../platform/errors/ApiError.ts"

/** The file of an export would have too many bytes. */
export class ExportTooLarge extends ApiError<ExportTooLarge>()(
  "ExportTooLarge",
  {
    status: 409,
    detail:
      "The file would be too large; export fewer proxies with a filter, or limit and offset, or use a shorter template"
  },
  {
    reason: Schema.tag("export_too_large"),
    bytes: Schema.Int.annotate({ description: "The size that the file could have", examples: [23_000_000] }),
    bytes_at_most: Schema.Int.annotate({ description: "The largest size of a file", examples: [8_000_000] })
  }
) {}
