import { Schema } from "effect"
import { ApiError } from "../../platform/errors/ApiError.ts"
import { Group } from "./Report.ts"

export class ReportTimeInvalid extends ApiError<ReportTimeInvalid>()(
  "ReportTimeInvalid",
  { status: 400, detail: "The last day must not be before the first, and a report covers at most 1,100 days" },
  { reason: Schema.tag("report_time") }
) {}

export class ReportGroupUnknown extends ApiError<ReportGroupUnknown>()(
  "ReportGroupUnknown",
  { status: 400, detail: "This report cannot be split this way; `details.groups` lists the ways" },
  { reason: Schema.tag("report_group"), groups: Schema.Array(Group) }
) {}
