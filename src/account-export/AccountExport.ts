import { Context, Effect, Layer, Option, Schema, Stream } from "effect"
import { ApiKey } from "../accounts/ApiKey.ts"
import { ApiKeys } from "../accounts/api-keys/ApiKeys.ts"
import { Passkey } from "../accounts/Passkey.ts"
import { Passkeys } from "../accounts/passkeys/Passkeys.ts"
import { OwnSessions } from "../accounts/sessions/OwnSessions.ts"
import { sessionView } from "../accounts/sessions/SessionView.ts"
import type { UserNotFound } from "../accounts/AccountErrors.ts"
import { type UserId, UserView } from "../accounts/User.ts"
import { Users } from "../accounts/users/Users.ts"
import { IpChecks } from "../ip-check/IpChecks.ts"
import { listedIpCheckView } from "../ip-check/IpCheckView.ts"
import { Notifications } from "../notifications/Notifications.ts"
import { notificationView } from "../notifications/NotificationsApi.ts"
import { ConnectedApps } from "../oauth/ConnectedApps.ts"
import { Orders } from "../orders/Orders.ts"
import { listedOrderView } from "../orders/OrderView.ts"
import type { Page } from "../platform/fields/Page.ts"
import * as Money from "../platform/Money.ts"
import { autoTopUpView } from "../wallet/auto-top-up/AutoTopUpApi.ts"
import { AutoTopUps } from "../wallet/auto-top-up/AutoTopUps.ts"
import { SavedCards } from "../wallet/auto-top-up/SavedCards.ts"
import { DocumentView, documentView } from "../wallet/invoices/DocumentView.ts"
import { Invoices } from "../wallet/invoices/Invoices.ts"
import { Deposits } from "../wallet/payments/Deposits.ts"
import { depositView } from "../wallet/payments/PaymentsApi.ts"
import { SavedCard } from "../wallet/SavedCard.ts"
import { TransactionView, transactionView, walletView } from "../wallet/WalletApi.ts"
import { Wallets } from "../wallet/Wallets.ts"
import { WalletTransactions } from "../wallet/WalletTransactions.ts"
import { Webhooks } from "../webhooks/Webhooks.ts"
import { Webhook } from "../webhooks/WebhooksApi.ts"

/** Limit of the items that are read at once. */
const readAtOnce = 100

/** Every item of a list. An item that is added at its front in the meantime moves the others, so one may come twice. */
const paged = <A>(read: (page: Page) => Effect.Effect<ReadonlyArray<A>>): Stream.Stream<A> =>
  Stream.paginate(0, (offset) =>
    Effect.map(
      read({ limit: readAtOnce, offset }),
      (found) => [found, found.length < readAtOnce ? Option.none() : Option.some(offset + readAtOnce)] as const
    )
  )

/** Writes a list as a member of a JSON object. Times write themselves in ISO 8601. */
const member = (name: string, items: Stream.Stream<unknown>): Stream.Stream<string> =>
  Stream.make(`,\n${JSON.stringify(name)}: [`).pipe(
    Stream.concat(
      Stream.map(Stream.zipWithIndex(items), ([item, index]) => `${index === 0 ? "\n" : ",\n"}${JSON.stringify(item)}`)
    ),
    Stream.concat(Stream.make("\n]"))
  )

const profile = Schema.encodeSync(UserView)
// These schemas leave the secrets out.
const apiKey = Schema.encodeSync(ApiKey.json)
const passkey = Schema.encodeSync(Passkey.json)
const transaction = Schema.encodeSync(TransactionView)
const document = Schema.encodeSync(DocumentView)
const card = Schema.encodeSync(SavedCard.json)
const webhook = Schema.encodeSync(Webhook)

/** Makes the function that reads the lists of a person, in the form of the API's answers. */
const makeLists = Effect.gen(function* () {
  const apiKeys = yield* ApiKeys
  const checks = yield* IpChecks
  const connectedApps = yield* ConnectedApps
  const deposits = yield* Deposits
  const invoices = yield* Invoices
  const notifications = yield* Notifications
  const orders = yield* Orders
  const passkeys = yield* Passkeys
  const sessions = yield* OwnSessions
  const transactions = yield* WalletTransactions
  const users = yield* Users
  const wallets = yield* Wallets
  const webhooks = yield* Webhooks

  const autoTopUps = yield* AutoTopUps
  const cards = yield* SavedCards

  return (id: UserId, session_id: string): Readonly<Record<string, Stream.Stream<unknown>>> => ({
    wallets: Stream.map(Stream.fromIterableEffect(wallets.list(id)), walletView),
    transactions: Stream.fromIterable(Money.Currency.literals).pipe(
      Stream.flatMap((currency) => transactions.all(id, { currency })),
      Stream.map((one) => transaction(transactionView(one)))
    ),
    payments: paged((page) => Effect.map(deposits.list(id, page), ({ deposits }) => deposits.map(depositView))),
    saved_cards: Stream.map(Stream.fromIterableEffect(cards.list(id)), (one) => card(one)),
    auto_top_up: Stream.map(Stream.fromIterableEffect(Effect.map(autoTopUps.find(id), Option.toArray)), autoTopUpView),
    invoices: paged((page) =>
      Effect.map(invoices.documents(id, page), ({ invoices }) => invoices.map((one) => document(documentView(one))))
    ),
    orders: paged((page) => Effect.map(orders.list(id, {}, page), ({ orders }) => orders.map(listedOrderView))),
    ip_checks: paged((page) => Effect.map(checks.list(id, page), ({ checks }) => checks.map(listedIpCheckView))),
    api_keys: paged((page) => Effect.map(apiKeys.list(id, page), ({ api_keys }) => api_keys.map((key) => apiKey(key)))),
    webhooks: paged((page) =>
      Effect.map(webhooks.list(id, page), ({ webhooks }) => webhooks.map((one) => webhook(one)))
    ),
    notifications: paged((page) =>
      Effect.map(notifications.list(id, undefined, page), ({ notifications }) => notifications.map(notificationView))
    ),
    connected_apps: paged((page) => Effect.map(connectedApps.list(id, page), ({ apps }) => apps)),
    passkeys: Stream.map(Stream.fromIterableEffect(passkeys.list(id)), (one) => passkey(one)),
    sessions: paged((page) =>
      Effect.map(sessions.list(id, page), ({ sessions }) => sessions.map((one) => sessionView(one, session_id)))
    ),
    ...users.rows(id)
  })
})

const make = Effect.gen(function* () {
  const invoices = yield* Invoices
  const listsOf = yield* makeLists
  const users = yield* Users

  const write = Effect.fn("AccountExport.write")(function* (user_id: UserId, session_id = "") {
    const user = yield* users.get(user_id)
    const { referral_earned_usd, referral_pending_usd, referred } = yield* users.referrals(user_id)
    const referrals = {
      referred,
      earned_usd: Money.toNumber("USD", referral_earned_usd),
      pending_usd: Money.toNumber("USD", referral_pending_usd)
    }
    const billing = yield* invoices.billingDetails(user_id)
    const about = { profile: profile(user), referrals, billing }
    const head = `{\n${Object.entries(about)
      .map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`)
      .join(",\n")}`
    const lists = Object.entries(listsOf(user_id, session_id)).map(([name, items]) => member(name, items))
    return [Stream.make(head), ...lists, Stream.make("\n}\n")].reduce((file, part) => Stream.concat(file, part))
  })

  return { write }
})

/** Writes everything that the service stores about an account: one JSON object without the secrets of keys and webhooks. */
export class AccountExport extends Context.Service<
  AccountExport,
  {
    /**
     * The file, in parts. It is written while its lists are read, a hundred items at a time. It marks the session of the
     * person who reads it.
     */
    readonly write: (user_id: UserId, session_id?: string) => Effect.Effect<Stream.Stream<string>, UserNotFound>
  }
>()("app/account-export/AccountExport") {
  static readonly layer = Layer.effect(AccountExport, Effect.map(make, AccountExport.of))
}
