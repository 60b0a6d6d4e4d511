import { Effect, Schema } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { faultsOf } from "../../pages/FormFaults.ts"
import { pageNotFound } from "../../pages/MessagePages.ts"
import { makeAnswer, redirect } from "../../pages/PageAnswer.ts"
import { needs } from "../../staff/Actor.ts"
import { ReportName } from "../../staff/reports/Report.ts"
import { Reports } from "../../staff/reports/Reports.ts"
import { AdminPages } from "../desk/AdminPages.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"
import { reportPage } from "./ReportPage.ts"
import { reportQuery } from "./ReportQuery.ts"

const isName = Schema.is(ReportName)

/** The report that the path names. */
const nameInPath = Effect.map(HttpRouter.params, ({ name }) => (isName(name) ? name : undefined))

/** The pages of the reports, and their files. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const answer = yield* makeAnswer
    const reports = yield* Reports
    const { pathTo, show } = yield* AdminPages

    const page = Effect.fnUntraced(function* (visit: AdminVisit) {
      yield* needs(visit.actor, "report.read")
      const name = yield* nameInPath
      if (name === undefined) return yield* answer(404, pageNotFound)
      const { asked, faults } = reportQuery(name, visit.query, visit.now)
      if (Object.keys(faults).length > 0) return reportPage(visit, asked, { faults })
      return yield* reports.read(visit.actor, asked).pipe(
        Effect.map((report) => reportPage(visit, asked, { report })),
        Effect.catchTag("ReportTimeInvalid", (failure) =>
          Effect.succeed(reportPage(visit, asked, { faults: { to: faultsOf(failure)[""] } }))
        )
      )
    })

    const file = Effect.fnUntraced(function* (visit: AdminVisit) {
      const name = yield* nameInPath
      if (name === undefined) return yield* answer(404, pageNotFound)
      const text = yield* reports.file(visit.actor, reportQuery(name, visit.query, visit.now).asked)
      return HttpServerResponse.text(text, {
        contentType: "text/csv; charset=utf-8",
        headers: {
          "cache-control": "no-store",
          "content-disposition": `attachment; filename="${name}.csv"`,
          "x-content-type-options": "nosniff"
        }
      })
    })

    yield* router.add(
      "GET",
      pathTo("reports"),
      show(() => Effect.succeed(redirect(pathTo("reports/revenue"))))
    )
    yield* router.add("GET", pathTo("reports/:name"), show(page))
    yield* router.add("GET", pathTo("reports/:name/file.csv"), show(file))
  })
)
