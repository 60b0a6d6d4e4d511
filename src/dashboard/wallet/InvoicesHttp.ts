import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import { redirect } from "../../pages/PageAnswer.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import { makePaperFile } from "../../pages/PaperFile.ts"
import { offsetOf } from "../../pages/Paging.ts"
import { DocumentNumber } from "../../wallet/invoices/Invoice.ts"
import { invoicePaper } from "../../wallet/invoices/InvoicePaper.ts"
import { Invoices } from "../../wallet/invoices/Invoices.ts"
import { paperPdf } from "../../wallet/invoices/PaperPdf.ts"
import { WalletTransactionId } from "../../wallet/WalletTransaction.ts"
import { idInPath } from "../desk/IdInPath.ts"
import { Pages } from "../desk/Pages.ts"
import type { Visit } from "../desk/Visit.ts"
import { invoicePage } from "./InvoicePage.ts"
import { invoicesPage } from "./InvoicesPage.ts"

const onPage = 25

/** The pages of the invoices. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const invoices = yield* Invoices
    const pages = yield* Pages
    const paperFile = yield* makePaperFile
    const path = yield* pathOf("wallet/invoices")
    const transactions = yield* pathOf("wallet/transactions")

    const list = Effect.fnUntraced(function* (visit: Visit) {
      const part = { limit: onPage, offset: offsetOf(visit.query) }
      const { invoices: found, total } = yield* invoices.documents(visit.user.id, part)
      if (found.length === 0 && part.offset > 0) return redirect(path)
      return invoicesPage(visit, found, { ...part, total })
    })

    const named = Effect.fnUntraced(function* ({ user }: Visit) {
      return yield* invoices.get(user.id, yield* idInPath("number", DocumentNumber))
    })

    const show = (visit: Visit) => Effect.map(named(visit), (invoice) => invoicePage(visit, invoice))

    const file = Effect.fnUntraced(function* (visit: Visit) {
      const invoice = yield* named(visit)
      return yield* paperFile(invoice.number, (language) => paperPdf(invoicePaper(invoice), language))
    })

    /** Leads from a ledger entry to the invoice of its payment. */
    const ofTransaction = Effect.fnUntraced(function* ({ user }: Visit) {
      const id = yield* idInPath("transaction_id", WalletTransactionId)
      const { number } = yield* invoices.ofTransaction(user.id, id)
      return redirect(`${path}/${number}`)
    })

    yield* router.add("GET", path, pages.show(list))
    yield* router.add("GET", `${path}/:number`, pages.show(show))
    yield* router.add("GET", `${path}/:number/file.pdf`, pages.show(file))
    yield* router.add("GET", `${transactions}/:transaction_id/invoice`, pages.show(ofTransaction))
  })
)
