import { Effect } from "effect"
import type { Client } from "./Client.ts"
import type { Browser, Forms } from "./Forms.ts"
import type { Random } from "./Random.ts"
import type { Account, Record } from "./Record.ts"

interface Options {
  readonly client: Client
  readonly random: Random
  readonly record: Record
  readonly forms: Forms
  readonly browserOf: (account: Account) => Effect.Effect<Browser>
}

/** The dollars of a payment. */
const whole = 5

/** Customers who read the invoices of their payments, at any instance, while these are made. */
export const make = ({ browserOf, client, forms, random, record }: Options) => {
  /** Lists the invoices. `payments` is the number of the account's payments, when it is known. */
  const read = Effect.fnUntraced(function* ({ api_key, email }: Account, payments?: number) {
    const answer = yield* client.ask({
      method: "GET",
      path: "/v1/wallet/invoices",
      headers: { "x-api-key": api_key }
    })
    if (answer?.status !== 200)
      return void record.contradictions.push(`the invoices of ${email} were answered ${answer?.status ?? "never"}`)
    if (payments !== undefined && answer.body.total !== payments)
      record.contradictions.push(`${email} has ${answer.body.total} invoices for ${payments} payments`)
    for (const { reversed: _, ...invoice } of answer.body.invoices) record.show(invoice)
  })

  const name = Effect.fnUntraced(function* (account: Account, browser: Browser, name: string) {
    const fields = { kind: "private", name, address: "1 Square" }
    const answers = yield* forms.submit(account, browser, "/app/wallet/billing", fields)
    return answers.some((answer) => answer?.status === 303)
  })

  /**
   * Pays under a name, reads the invoice at both instances, and gets a part back, sometimes for a while only. A later name does not
   * change the invoice.
   */
  const billed = Effect.fnUntraced(function* (account: Account) {
    const browser = yield* browserOf(account)
    const buyer = `Buyer ${account.email}`
    if (yield* name(account, browser, buyer)) record.billing.set(account.id, buyer)
    const deposit = yield* client.toDeposit(account, whole)
    if (deposit === undefined) return
    yield* deposit.pay
    yield* Effect.all([read(account, 1), read(account, 1)], { concurrency: 2 })
    yield* name(account, browser, "A later name")
    const refund = { amount: random.between(1, whole), kind: "refund", isReturned: random.chance(0.5) } as const
    yield* Effect.all([client.reverse(account, deposit, [refund]), read(account, 1)], { concurrency: 2 })
    yield* read(account, 1)
  })

  return { read, billed }
}
export type Papers = ReturnType<typeof make>
