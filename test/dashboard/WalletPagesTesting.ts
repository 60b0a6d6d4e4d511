import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { UserId } from "../../src/accounts/User.ts"
import { Wallets } from "../../src/wallet/Wallets.ts"
import { newTransactionId } from "../../src/wallet/WalletTransaction.ts"
import * as Browser from "../support/Browser.ts"
import { request } from "../support/TestServer.ts"
import { http, newAccount, password } from "./PagesTesting.ts"

/** A browser in which a new person is signed in. */
export const signedIn = Effect.gen(function* () {
  const account = yield* newAccount
  const browser = yield* Browser.forServer(http)
  yield* browser.open(`${http}/app/sign-in`)
  yield* browser.submit({ email: account.email, password })
  const user_id = UserId.make(account.id)
  const open = (path: string, headers: Record<string, string> = {}) => browser.open(`${http}/app/${path}`, { headers })
  return { ...account, user_id, browser, open }
})

type SignedIn = Effect.Success<typeof signedIn>

/** Sends a form body as it is, for example with a field twice. */
export const sendRaw = ({ browser }: SignedIn, path: string, body: string) =>
  request("POST", path, {
    headers: {
      cookie: [...browser.cookies].map((pair) => pair.join("=")).join("; "),
      "content-type": "application/x-www-form-urlencoded",
      "sec-fetch-site": "same-origin"
    },
    body
  })

/** Credits a wallet, without a payment. */
export const credit = (user_id: UserId, description: string, amount = 1_000_000n) =>
  Effect.gen(function* () {
    const id = yield* newTransactionId
    const wallets = yield* Wallets
    yield* wallets.credit({
      id,
      user_id,
      currency: "USD",
      amount,
      payment_method: "card_gateway",
      external_id: `ch_${id}`,
      reference: id,
      description,
      is_sandbox: false
    })
    return id
  })

/** Debits a wallet for an order. */
export const pay = (user_id: UserId, order_id: string | null, amount = 500_000n) =>
  Wallets.use((wallets) =>
    wallets.charge({
      user_id,
      currency: "USD",
      spender: null,
      entries: [{ order_id, reference: randomUUID(), amount, amount_usd: amount, description: "Proxy for a month" }]
    })
  )
