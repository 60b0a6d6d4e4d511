import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import { type CsvColumn, csvFile } from "../../pages/CsvFile.ts"
import { redirect } from "../../pages/PageAnswer.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import { offsetOf } from "../../pages/Paging.ts"
import { SavedCards } from "../../wallet/auto-top-up/SavedCards.ts"
import { Deposits } from "../../wallet/payments/Deposits.ts"
import { Payments } from "../../wallet/payments/Payments.ts"
import { isOpen } from "../../wallet/payouts/Payout.ts"
import { Payouts } from "../../wallet/payouts/Payouts.ts"
import { transactionCells, transactionColumns } from "../../wallet/TransactionCells.ts"
import { Wallets } from "../../wallet/Wallets.ts"
import type { WalletTransaction } from "../../wallet/WalletTransaction.ts"
import { WalletTransactions } from "../../wallet/WalletTransactions.ts"
import { Pages } from "../desk/Pages.ts"
import type { Visit } from "../desk/Visit.ts"
import { filterIn, queryOf } from "./TransactionFilters.ts"
import { walletPage } from "./WalletPage.ts"

const onPage = 25

/** The newest deposits, among which the page looks for those that wait for their payment. */
const newestDeposits = { limit: 25, offset: 0 }

const columns = transactionColumns.map((name): CsvColumn<WalletTransaction> => [
  name,
  (entry) => transactionCells(entry)[name]
])

/** The pages of the wallet's balances and transactions. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const cards = yield* SavedCards
    const deposits = yield* Deposits
    const pages = yield* Pages
    const payments = yield* Payments
    const transactions = yield* WalletTransactions
    const wallets = yield* Wallets
    const payouts = yield* Payouts
    const path = yield* pathOf("wallet")

    const show = Effect.fnUntraced(function* (visit: Visit) {
      const { query } = visit
      const owner = visit.user.id
      const filter = filterIn(query)
      const part = { limit: onPage, offset: offsetOf(query) }
      const found = yield* transactions.list(owner, filter, part)
      if (found.length === 0 && part.offset > 0) return redirect(`${path}?${queryOf(filter)}`)
      const newest = yield* deposits.list(owner, newestDeposits)
      const waiting = new Map((yield* payments.waitingOf(owner)).map((payment) => [payment.transaction_id, payment.id]))
      return walletPage(visit, {
        wallets: yield* wallets.list(owner),
        payable: (yield* payments.offered).map(({ currency }) => currency),
        hasAutoTopUp: cards.areOffered,
        payout: (yield* payouts.list(owner, 1)).find(isOpen),
        arePayoutsOffered: payouts.areOffered,
        open: newest.deposits.filter(({ id }) => waiting.has(id)),
        waiting,
        filter,
        transactions: found,
        part: { ...part, total: yield* transactions.count(owner, filter) }
      })
    })

    const download = ({ query, user }: Visit) =>
      Effect.succeed(csvFile("transactions.csv", columns, transactions.all(user.id, filterIn(query))))

    yield* router.add("GET", path, pages.show(show))
    yield* router.add("GET", `${path}/transactions.csv`, pages.show(download))
  })
)
