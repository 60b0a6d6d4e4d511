import { Console, DateTime, Effect, type Layer, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { english } from "../brand/Language.ts"
import { DocumentNumber, type StaffDocument } from "../staff/documents/StaffDocument.ts"
import { StaffDocuments } from "../staff/documents/StaffDocuments.ts"
import { oneLine } from "../platform/fields/OneLine.ts"
import * as MoneyFlags from "./MoneyFlags.ts"

const listed = 100

const number = Argument.String("number").pipe(
  Argument.withSchema(DocumentNumber),
  Argument.withDescription("Number of the document, such as 2027-000042")
)

const { id, reason } = MoneyFlags.flags

const row = (...cells: ReadonlyArray<string>) => cells.map(oneLine).join("\t")

const line = ({ buyer, corrects, currency, issued_at, kind, number, tax, total, user_id }: StaffDocument) =>
  row(
    number,
    kind,
    DateTime.formatIso(issued_at),
    MoneyFlags.priceOf(currency, total),
    MoneyFlags.priceOf(currency, tax),
    corrects ?? "",
    user_id,
    buyer.name ?? buyer.email ?? ""
  )

const list = Command.make(
  "list",
  {
    find: Flag.String("find").pipe(
      Flag.optional,
      Flag.withDescription("A number, the email of an account, or the id of an account or of a ledger entry")
    )
  },
  Effect.fn(function* ({ find }) {
    const actor = yield* MoneyFlags.actor
    const filter = { q: Option.getOrUndefined(find) }
    const { items } = yield* MoneyFlags.explained(
      StaffDocuments.use((documents) => documents.search(actor, filter, listed))
    )
    if (items.length === 0) yield* Console.log("No documents")
    yield* Effect.forEach(items, (document) => Console.log(line(document)), { discard: true })
  })
).pipe(
  Command.withDescription(
    `List the ${listed} newest invoices and credit notes: number, kind, time, total, tax, corrected number, account, buyer`
  )
)

const show = Command.make(
  "show",
  { number },
  Effect.fn(function* ({ number }) {
    const actor = yield* MoneyFlags.actor
    const { paper, reversed_note } = yield* MoneyFlags.explained(
      StaffDocuments.use((documents) => documents.find(actor, number))
    )
    const named = (items: typeof paper.facts) => items.map(([name, value]) => row(name(english), value(english)))
    const lines = [
      paper.title(english),
      ...[...paper.notes, ...(reversed_note === null ? [] : [reversed_note])].map((note) => row(note(english))),
      ...named(paper.facts),
      ...paper.parties.map(([title, lines]) => row(title(english), lines.join(", "))),
      ...paper.rows.map((cells) => row(...cells.map((cell) => cell(english)))),
      ...named(paper.totals),
      ...paper.foot.map((note) => row(note(english)))
    ]
    yield* Console.log(lines.join("\n"))
  })
).pipe(Command.withDescription("Show an invoice or a credit note"))

const issue = Command.make(
  "issue",
  { number, id, reason },
  Effect.fn(function* ({ id, number, reason }) {
    const actor = yield* MoneyFlags.actor
    const key = yield* MoneyFlags.keyOf(id)
    const { answer } = yield* MoneyFlags.explained(
      StaffDocuments.use((documents) => documents.reissue(actor, key, number, reason))
    )
    yield* Console.log(line(answer))
  })
).pipe(
  Command.withDescription(
    "Take an invoice back with a credit note, and issue it again with the present billing address of the customer"
  )
)

export const documents = <E, R>(services: Layer.Layer<StaffDocuments, E, R>) =>
  Command.make("documents").pipe(
    Command.withDescription("List and show invoices and credit notes, and issue an invoice again"),
    Command.withSubcommands([
      Command.provide(list, services),
      Command.provide(show, services),
      Command.provide(issue, services)
    ])
  )
