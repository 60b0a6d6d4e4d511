import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import { redirect } from "../../pages/PageAnswer.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import { offsetOf } from "../../pages/Paging.ts"
import { InvoiceNumber } from "../../wallet/invoices/Invoice.ts"
import { Invoices } from "../../wallet/invoices/Invoices.ts"
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
    const path = yield* pathOf("wallet/invoices")
    const transactions = yield* pathOf("wallet/transactions")

    const list = Effect.fnUntraced(function* (visit: Visit) {
      const part = { limit: onPage, offset: offsetOf(visit.query) }
      const { invoices: found, total } = yield* invoices.list(visit.user.id, part)
      if (found.length === 0 && part.offset > 0) return redirect(path)
      return invoicesPage(visit, found, { ...part, total })
    })

    const show = Effect.fnUntraced(function* (visit: Visit) {
      const number = yield* idInPath("number", InvoiceNumber)
      return invoicePage(visit, yield* invoices.get(visit.user.id, number))
    })

    /** Leads from a ledger entry to the invoice of its payment. */
    const ofTransaction = Effect.fnUntraced(function* ({ user }: Visit) {
      const id = yield* idInPath("transaction_id", WalletTransactionId)
      const { number } = yield* invoices.ofTransaction(user.id, id)
      return redirect(`${path}/${number}`)
    })

    yield* router.add("GET", path, pages.show(list))
    yield* router.add("GET", `${path}/:number`, pages.show(show))
    yield* router.add("GET", `${transactions}/:transaction_id/invoice`, pages.show(ofTransaction))
  })
)
