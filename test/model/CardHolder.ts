import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { Sessions } from "../../src/accounts/sessions/Sessions.ts"
import type { User } from "../../src/accounts/User.ts"
import { SavedCards } from "../../src/wallet/auto-top-up/SavedCards.ts"
import type { Bank } from "../support/MemoryCards.ts"
import { MemoryPaymentGateways } from "../support/MemoryPaymentGateways.ts"
import { request } from "../support/TestServer.ts"
import type { TopUpCommand } from "./Command.ts"
import type { TopUps } from "./TopUps.ts"

const cents = (usd: number) => Math.round(usd * 100)

/** The commands about a customer's saved card and its automatic top-ups. `agree` compares answers with the model's. */
export const make = Effect.fnUntraced(function* <A>(
  user: User,
  topUps: TopUps,
  agree: (predicted: ReturnType<TopUps["set"]>, answer: Effect.Success<ReturnType<typeof request>>) => A
) {
  const gateways = yield* MemoryPaymentGateways

  /** Only a signed-in person manages cards. */
  const ask = Effect.fnUntraced(function* (method: "GET" | "POST" | "PUT" | "DELETE", path: string, body?: unknown) {
    const { access_token } = yield* Sessions.use((sessions) => sessions.start(user))
    return yield* request(method, `/v1/wallet/${path}`, {
      user: access_token,
      ...(body !== undefined && { body })
    })
  })

  const cardId = Effect.map(ask("GET", "cards"), ({ body }): string => body.cards[0]?.id ?? randomUUID())

  const save = Effect.gen(function* () {
    const answer = yield* ask("POST", "cards")
    agree({ status: 201 }, answer)
    const page_id = String(answer.body.url).split("/").at(-1) ?? ""
    yield* SavedCards.use((cards) => cards.complete(user.id, page_id))
    topUps.card = "kept"
    gateways.setBank(`card_${user.id}`, topUps.bank)
  })

  const remove = Effect.gen(function* () {
    agree(topUps.remove(), yield* ask("DELETE", `cards/${yield* cardId}`))
  })

  const set = Effect.fnUntraced(function* (command: TopUpCommand) {
    const { amount, enabled, monthly_limit, threshold } = command
    const body = {
      enabled,
      threshold: threshold / 100,
      amount: amount / 100,
      monthly_limit: monthly_limit / 100,
      card_id: yield* cardId
    }
    agree(topUps.set(command), yield* ask("PUT", "auto-top-up", body))
  })

  const bank = (answers: Bank) =>
    Effect.sync(() => {
      topUps.bank = answers
      gateways.setBank(`card_${user.id}`, answers)
    })

  /** The settings that the API shows, in the form of the model. */
  const settings = Effect.map(ask("GET", "auto-top-up"), ({ body, status }) =>
    status === 404
      ? undefined
      : {
          enabled: body.enabled,
          threshold: cents(body.threshold),
          amount: cents(body.amount),
          monthly_limit: cents(body.monthly_limit),
          charged: cents(body.charged_this_month),
          has_card: body.card_id !== null,
          stopped_by: body.stopped_by,
          not_before: body.not_before === null ? null : Date.parse(body.not_before)
        }
  )

  const notices = SqlClient.SqlClient.use(
    (sql) => sql<{ readonly kind: string; readonly times: number }>`
      SELECT kind, count(*)::int AS times FROM notification WHERE user_id = ${user.id} AND kind LIKE 'auto_top_up%'
      GROUP BY kind
    `
  ).pipe(Effect.map((rows) => Object.fromEntries(rows.map(({ kind, times }) => [kind, times]))))

  return { save, remove, set, bank, shown: Effect.all({ settings, notices }) }
})
