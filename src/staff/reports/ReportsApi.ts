import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { RequiredPermission, StaffAuthentication } from "../StaffAuthenticationApi.ts"
import { Day, Group, Period, ReportName, ReportTable } from "./Report.ts"
import { ReportGroupUnknown, ReportTimeInvalid } from "./ReportErrors.ts"

const asked = {
  params: { name: ReportName },
  query: {
    from: Day,
    to: Day,
    period: Schema.optionalKey(Period.annotate({ description: "The period of a row; each report has a default" })),
    by: Schema.optionalKey(Group.annotate({ description: "Splits the rows; each report has its ways" }))
  },
  error: [ReportGroupUnknown, ReportTimeInvalid]
} as const

export class ReportsApi extends HttpApiGroup.make("adminReports")
  .add(
    HttpApiEndpoint.get("exportReport", "/reports/:name.csv", {
      ...asked,
      success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/csv" }))
    })
      .annotate(RequiredPermission, "report.export")
      .annotate(OpenApi.Summary, "Export a report")
      .annotate(
        OpenApi.Description,
        "The rows of a report as CSV (RFC 4180) with a header row. A text that begins with `=`, `+`, `-` or `@` has an apostrophe before it, so that spreadsheets do not run it. The audit log shows the export."
      ),
    HttpApiEndpoint.get("getReport", "/reports/:name", { ...asked, success: ReportTable })
      .annotate(RequiredPermission, "report.read")
      .annotate(OpenApi.Summary, "Show a report")
      .annotate(
        OpenApi.Description,
        "The figures of whole days in UTC, at most 1,100 days and 10,000 rows. `columns` names the cells of the rows: `usd` and `amount` are decimal text, `rate` is a share such as 0.25, a cell that is not known is null. `unearned`, `liabilities` and `churn` show the last day of each period; they and `renewals` and `recognised` know days that have ended."
      )
  )
  .middleware(StaffAuthentication)
  .annotate(OpenApi.Title, "Reports")
  .annotate(OpenApi.Description, "Revenue, refunds, margin, liabilities, unearned revenue, renewals and payments.") {}
