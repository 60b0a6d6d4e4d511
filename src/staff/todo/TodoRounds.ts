import { DateTime, Duration, Effect, Layer, Option, Result, Schedule } from "effect"
import { EmailOutbox } from "../../accounts/mail/EmailOutbox.ts"
import { Brand } from "../../brand/Brand.ts"
import { english } from "../../brand/Language.ts"
import * as MailText from "../../brand/MailText.ts"
import * as Job from "../../platform/Job.ts"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import { AdminUrl } from "../../platform/settings/Addresses.ts"
import { ofRole } from "../Permissions.ts"
import { OperatorWebhook } from "./OperatorWebhook.ts"
import { type TodoItem, todoKinds } from "./Todo.ts"
import { type DueCall, TodoRepo } from "./TodoRepo.ts"
import { todoText } from "./TodoText.ts"

/** Limit of the items of a kind that become known in a round. */
const itemsAtMost = 100
/** Limit of the items that a mail names. */
const namedAtMost = 20
const callsAtMost = 50
const concurrency = 4
/** Longer than a batch of calls that all time out. */
const lease = { minutes: 5 }
const givenUpAfter = Duration.days(1)

/** Doubles the delay after each call, from a minute to at most an hour. */
const delayAfter = (attempt: number) =>
  Duration.min(Duration.times(Duration.minutes(1), 2 ** Math.min(attempt - 1, 10)), Duration.hours(1))

const lineOf = ({ detail, kind }: TodoItem) => `- ${todoText[kind][0](english)}: ${detail}`

const linesOf = (items: ReadonlyArray<TodoItem>) => [
  ...items.slice(0, namedAtMost).map(lineOf),
  ...(items.length > namedAtMost ? [`- ... (${items.length - namedAtMost})`] : [])
]

/** Notifies each person in one mail of the new items that the person can settle. */
const mail = Effect.fnUntraced(function* (news: ReadonlyArray<TodoItem>) {
  const brand = yield* Brand
  const outbox = yield* EmailOutbox
  const page = `${yield* AdminUrl}/todo`
  const { colleagues } = yield* TodoRepo
  yield* Effect.forEach(
    yield* colleagues,
    ({ email, role }) => {
      const rights = ofRole(role)
      const own = news.filter(
        ({ kind }) => rights.includes("todo.settle") && rights.includes(todoKinds[kind].permission)
      )
      if (own.length === 0) return Effect.void
      const words = MailText.write(brand, "en", "todo", { items: linesOf(own).join("\n"), page })
      return outbox.add({ kind: "notice", user_id: null, language: "en", to_address: email, ...words })
    },
    { discard: true }
  )
})

/** Calls the operator's webhook about an item, unless the item has ended. */
const call = Effect.fnUntraced(function* (due: DueCall) {
  const repo = yield* TodoRepo
  const webhook = yield* OperatorWebhook
  const item = yield* repo.find(due.kind, due.id, yield* DateTime.now)
  if (Option.isNone(item)) return yield* repo.called(due, null)
  const page = `${yield* AdminUrl}/todo`
  const made = yield* Effect.result(webhook.call({ ...due, item: item.value, page }))
  const now = yield* DateTime.now
  if (Result.isSuccess(made)) return yield* repo.called(due, null)
  const isOver = Duration.isGreaterThanOrEqualTo(DateTime.distance(due.notified_at, now), givenUpAfter)
  yield* Effect.logWarning("The operator's webhook did not take a call", { item: due.id, reason: made.failure, isOver })
  yield* repo.called(due, isOver ? null : DateTime.addDuration(now, delayAfter(due.call_attempt)))
})

/** Forgets what has ended, notifies staff of what is new, once, and makes the calls that are due. */
export const run = Effect.gen(function* () {
  const atomically = yield* Atomically
  const repo = yield* TodoRepo
  const webhook = yield* OperatorWebhook
  const now = yield* DateTime.now
  yield* repo.forget(now)
  const notified = Effect.tap(repo.notify(now, webhook.isOn ? now : null, itemsAtMost), mail)
  yield* atomically(notified)
  const due = yield* repo.claimCalls(now, DateTime.add(now, lease), callsAtMost)
  yield* Effect.forEach(due, call, { concurrency, discard: true })
})

export const layer = Job.layer("TodoRounds", Schedule.spaced("30 seconds"), run).pipe(
  Layer.provide([EmailOutbox.layer, OperatorWebhook.layer, TodoRepo.layer])
)
