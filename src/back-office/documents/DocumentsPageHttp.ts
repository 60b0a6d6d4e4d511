import { Data, Effect, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { randomUUID } from "node:crypto"
import type { Faults } from "../../pages/Field.ts"
import { Nonce } from "../../pages/FormSchemas.ts"
import { text } from "../../pages/Html.ts"
import { redirect } from "../../pages/PageAnswer.ts"
import { makePaperFile } from "../../pages/PaperFile.ts"
import type { Submission } from "../../pages/Submissions.ts"
import { Text } from "../../platform/fields/Text.ts"
import { needs } from "../../staff/Actor.ts"
import { DocumentNumber } from "../../staff/documents/StaffDocument.ts"
import { StaffDocuments } from "../../staff/documents/StaffDocuments.ts"
import { AdminPages } from "../desk/AdminPages.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"
import { documentPage, reissuePage } from "./DocumentPage.ts"
import { documentsPage } from "./DocumentsPage.ts"

const perPage = 50

/** The address names nothing that exists. */
class NothingThere extends Data.TaggedError("NothingThere")<{ readonly status: 404; readonly detail: string }> {}

const isNumber = Schema.is(DocumentNumber)
const isQuery = Schema.is(Text(1, 255))
const isKind = Schema.is(Schema.Literals(["invoice", "credit_note"]))

const numberInPath = Effect.flatMap(HttpRouter.params, ({ number }) =>
  isNumber(number)
    ? Effect.succeed(number)
    : Effect.fail(new NothingThere({ status: 404, detail: "There is nothing at this address" }))
)

const filterOf = ({ query }: AdminVisit) => {
  const [q, kind, after] = [query.get("q")?.trim() ?? "", query.get("kind"), query.get("after")]
  return { ...(isQuery(q) && { q }), ...(isKind(kind) && { kind }), ...(isNumber(after) && { after }) }
}

/** The pages of invoices and credit notes. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const { pathTo, show, take } = yield* AdminPages
    const documents = yield* StaffDocuments
    const paperFile = yield* makePaperFile

    const list = Effect.fnUntraced(function* (visit: AdminVisit) {
      const filter = filterOf(visit)
      const part = yield* documents.search(visit.actor, filter, perPage)
      return documentsPage(visit, { q: filter.q ?? "", kind: filter.kind ?? "" }, part)
    })

    const named = Effect.fnUntraced(function* ({ actor }: AdminVisit) {
      return yield* documents.find(actor, yield* numberInPath)
    })

    const showOne = Effect.fnUntraced(function* (visit: AdminVisit) {
      const notice = visit.query.get("done") === "reissued" ? text("documents.reissued") : undefined
      return documentPage(visit, yield* named(visit), notice)
    })

    const file = Effect.fnUntraced(function* (visit: AdminVisit) {
      const { number } = yield* named(visit)
      return yield* paperFile(number, (language) => documents.file(visit.actor, number, language))
    })

    const form = Effect.fnUntraced(function* (visit: AdminVisit, faults: Faults = {}, typed?: Submission) {
      yield* needs(visit.actor, "document.issue")
      const again = typed === undefined ? { faults } : { faults, typed }
      return reissuePage(visit, yield* named(visit), { key: randomUUID(), ...again })
    })

    const reissue = take({
      fields: Schema.Struct({ key: Nonce, reason: Text(3, 500) }),
      messages: { key: text("form.not_confirmed"), reason: text("money.reason_wrong") },
      again: form,
      act: Effect.fnUntraced(function* ({ actor }, { key, reason }) {
        const { answer } = yield* documents.reissue(actor, key, yield* numberInPath, reason)
        return redirect(`${pathTo(`documents/${answer.number}`)}?done=reissued`)
      })
    })

    yield* router.add("GET", pathTo("documents"), show(list))
    yield* router.add("GET", pathTo("documents/:number"), show(showOne))
    yield* router.add("GET", pathTo("documents/:number/file.pdf"), show(file))
    yield* router.add(
      "GET",
      pathTo("documents/:number/reissue"),
      show((visit) => form(visit))
    )
    yield* router.add("POST", pathTo("documents/:number/reissue"), reissue)
  })
)
