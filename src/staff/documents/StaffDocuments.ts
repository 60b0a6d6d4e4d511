import { Context, Effect, Layer, Option } from "effect"
import type { Language } from "../../brand/Language.ts"
import { Documents } from "../../wallet/invoices/Documents.ts"
import { DocumentView, documentView } from "../../wallet/invoices/DocumentView.ts"
import type {
  InvoiceNotFound,
  InvoiceReplaced,
  PaperHasOtherLetters,
  TaxRateMissing
} from "../../wallet/invoices/InvoiceErrors.ts"
import { invoicePaper } from "../../wallet/invoices/InvoicePaper.ts"
import { reversedNote } from "../../wallet/invoices/ReversedNote.ts"
import { paperPdf } from "../../wallet/invoices/PaperPdf.ts"
import { type Actor, needs, type PermissionNeeded } from "../Actor.ts"
import { Audit } from "../audit/Audit.ts"
import * as Guard from "../audit/Guard.ts"
import { StaffActions } from "../StaffActions.ts"
import type { ActionKeyReused } from "../StaffErrors.ts"
import type { DocumentNumber, ShownDocument, StaffDocument } from "./StaffDocument.ts"

type By = Actor["Service"]
type Filter = Parameters<Documents["Service"]["search"]>[0]

interface DocumentPage {
  readonly items: ReadonlyArray<StaffDocument>
  /** The number of the last item, when there are more. */
  readonly next: DocumentNumber | null
}

interface Answered {
  readonly answer: StaffDocument
  readonly replayed: boolean
}

type Unreadable = InvoiceNotFound | PermissionNeeded

/** The invoices and credit notes of all customers: by permission, once for a key, and on record in the audit log. */
export class StaffDocuments extends Context.Service<
  StaffDocuments,
  {
    /** Lists documents, newest first. */
    readonly search: (actor: By, filter: Filter, limit: number) => Effect.Effect<DocumentPage, PermissionNeeded>
    readonly find: (actor: By, number: DocumentNumber) => Effect.Effect<ShownDocument, Unreadable>
    /** Prints a document as a PDF file. */
    readonly file: (
      actor: By,
      number: DocumentNumber,
      language: Language
    ) => Effect.Effect<Uint8Array, Unreadable | PaperHasOtherLetters>
    /** Takes an invoice back with a credit note, and issues it again with the present details of the buyer. */
    readonly reissue: (
      actor: By,
      key: string,
      number: DocumentNumber,
      reason: string
    ) => Effect.Effect<Answered, ActionKeyReused | InvoiceReplaced | TaxRateMissing | Unreadable>
  }
>()("app/staff/StaffDocuments") {
  static readonly layerNoDeps = Layer.effect(
    StaffDocuments,
    Effect.gen(function* () {
      const actions = yield* StaffActions
      const audit = yield* Audit
      const documents = yield* Documents
      const guard = yield* Guard.make

      const search = Effect.fn("StaffDocuments.search")(function* (actor: By, filter: Filter, limit: number) {
        yield* needs(actor, "document.read")
        const found = (yield* documents.search(filter, limit + 1)).map(documentView)
        const items = found.slice(0, limit)
        return { items, next: found.length > limit ? (items.at(-1)?.number ?? null) : null }
      })

      const find = Effect.fn("StaffDocuments.find")(function* (actor: By, number: DocumentNumber) {
        yield* needs(actor, "document.read")
        const found = yield* documents.find(number)
        return { ...documentView(found), paper: invoicePaper(found), reversed_note: reversedNote(found) }
      })

      const file = Effect.fn("StaffDocuments.file")(function* (actor: By, number: DocumentNumber, language: Language) {
        const { paper } = yield* find(actor, number)
        return yield* paperPdf(paper, language)
      })

      const reissue = Effect.fn("StaffDocuments.reissue")(function* (
        actor: By,
        key: string,
        number: DocumentNumber,
        reason: string
      ) {
        const subject = { kind: "document", id: number }
        const of = Option.getOrUndefined(yield* Effect.option(documents.find(number)))
        const attempt = { actor, permission: "document.issue", subject, ...(of && { user_id: of.user_id }) } as const
        const act = Effect.tap(Effect.map(documents.reissue(number), documentView), (made) =>
          audit.record({
            actor,
            action: "document.issue",
            subject,
            user_id: made.user_id,
            reason,
            after: { document: made.number, amount: made.total, currency: made.currency }
          })
        )
        const keyed = { actor, key, operation: "reissueDocument", content: { number, reason }, answer: DocumentView }
        return yield* guard.allow(attempt, actions.once(keyed, act))
      })

      return StaffDocuments.of({ file, find, reissue, search })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([Audit.layer, Documents.layer, StaffActions.layer]))
}
