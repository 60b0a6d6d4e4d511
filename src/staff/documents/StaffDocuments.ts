import { Context, Effect, Layer } from "effect"
import type { Language } from "../../brand/Language.ts"
import type { Paper } from "../../brand/Paper.ts"
import { Documents } from "../../wallet/invoices/Documents.ts"
import { DocumentView, documentView } from "../../wallet/invoices/DocumentView.ts"
import type { Invoice } from "../../wallet/invoices/Invoice.ts"
import type { InvoiceNotFound, InvoiceReplaced, TaxRateMissing } from "../../wallet/invoices/InvoiceErrors.ts"
import { invoicePaper } from "../../wallet/invoices/InvoicePaper.ts"
import { paperPdf } from "../../wallet/invoices/PaperPdf.ts"
import { type Actor, needs, type PermissionNeeded } from "../Actor.ts"
import { Audit } from "../audit/Audit.ts"
import * as Guard from "../audit/Guard.ts"
import { StaffActions } from "../StaffActions.ts"
import type { ActionKeyReused } from "../StaffErrors.ts"

type By = Actor["Service"]
type View = typeof DocumentView.Type
type Number = Invoice["number"]
type Filter = Parameters<Documents["Service"]["search"]>[0]

interface Answered {
  readonly answer: View
  readonly replayed: boolean
}

/** The invoices and credit notes of all customers: by permission, once for a key, and on record in the audit log. */
export class StaffDocuments extends Context.Service<
  StaffDocuments,
  {
    readonly search: (actor: By, filter: Filter, limit: number) => Effect.Effect<ReadonlyArray<View>, PermissionNeeded>
    readonly get: (actor: By, number: Number) => Effect.Effect<View, InvoiceNotFound | PermissionNeeded>
    /** The document as pages show it. */
    readonly paper: (actor: By, number: Number) => Effect.Effect<Paper, InvoiceNotFound | PermissionNeeded>
    /** The document as a PDF file. */
    readonly file: (
      actor: By,
      number: Number,
      language: Language
    ) => Effect.Effect<Uint8Array, InvoiceNotFound | PermissionNeeded>
    /** Takes an invoice back with a credit note, and issues it again with the present details of the buyer. */
    readonly reissue: (
      actor: By,
      key: string,
      number: Number,
      reason: string
    ) => Effect.Effect<
      Answered,
      ActionKeyReused | InvoiceNotFound | InvoiceReplaced | PermissionNeeded | TaxRateMissing
    >
  }
>()("app/staff/StaffDocuments") {
  static readonly layerNoDeps = Layer.effect(
    StaffDocuments,
    Effect.gen(function* () {
      const actions = yield* StaffActions
      const audit = yield* Audit
      const documents = yield* Documents
      const guard = yield* Guard.make

      const read = (actor: By, number: Number) =>
        Effect.andThen(needs(actor, "document.read"), documents.find(number))
      const paper = (actor: By, number: Number) => Effect.map(read(actor, number), invoicePaper)

      const reissue = Effect.fn("StaffDocuments.reissue")(function* (
        actor: By,
        key: string,
        number: Number,
        reason: string
      ) {
        const attempt = { actor, permission: "document.issue" as const, subject: { kind: "document", id: number } }
        const act = Effect.tap(Effect.map(documents.reissue(number), documentView), (made) =>
          audit.record({
            actor,
            action: "document.issue",
            subject: { kind: "document", id: number },
            user_id: made.user_id,
            reason,
            after: { document: made.number, amount: made.total, currency: made.currency }
          })
        )
        const keyed = { actor, key, operation: "reissueDocument", content: { number, reason }, answer: DocumentView }
        return yield* guard.allow(attempt, actions.once(keyed, act))
      })

      return StaffDocuments.of({
        search: (actor, filter, limit) =>
          Effect.andThen(
            needs(actor, "document.read"),
            Effect.map(documents.search(filter, limit), (found) => found.map(documentView))
          ),
        get: (actor, number) => Effect.map(read(actor, number), documentView),
        paper,
        file: (actor, number, language) => Effect.flatMap(paper(actor, number), (found) => paperPdf(found, language)),
        reissue
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([Audit.layer, Documents.layer, StaffActions.layer]))
}
