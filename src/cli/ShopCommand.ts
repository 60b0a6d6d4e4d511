import { Console, Effect, type Layer, Option, Result, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { randomUUID } from "node:crypto"
import * as fs from "node:fs"
import { userInfo } from "node:os"
import { mostFaults } from "../platform/errors/Faults.ts"
import { Line } from "../platform/fields/Line.ts"
import type { ShopFault } from "../shop/ReadShopFile.ts"
import { Shop } from "../shop/Shop.ts"
import { ShopFile } from "../shop/ShopFile.ts"
import * as Actor from "../staff/Actor.ts"
import { ShopChanges, type ShopEdit } from "../staff/shop/ShopChanges.ts"

type Services<E, R> = Layer.Layer<Shop | ShopChanges, E, R>

class ShopFileRefused extends Schema.TaggedError<ShopFileRefused>()("ShopFileRefused", { message: Schema.String }) {}

const file = Argument.String("file").pipe(Argument.withDescription("The shop file, such as shop.yaml"))

/** The words of the system, in words for the person who calls the command. */
const plainWords: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EISDIR: "it is a directory",
  EACCES: "this account may not read it"
}

const reasonOf = (error: unknown) => {
  if (!(error instanceof Error)) return String(error)
  return ("code" in error && plainWords[String(error.code)]) || error.message
}

const printFaults = Effect.fnUntraced(function* (
  file: string,
  faults: ReadonlyArray<ShopFault>,
  count: number = faults.length
) {
  for (const { field, line, reason } of faults.slice(0, mostFaults))
    yield* Console.log(`${file}:${line}: ${field === "" ? "" : `${field}: `}${reason}`)
  if (count > mostFaults) yield* Console.log(`and ${count - mostFaults} more`)
  return yield* new ShopFileRefused({ message: `Faults in ${file}: ${count}. Nothing was changed` })
})

/** Reads one byte more than `bytesAtMost`, and no more. */
const textOf = (file: string, bytesAtMost: number): string => {
  const from = fs.openSync(file, "r")
  try {
    const bytes = Buffer.alloc(bytesAtMost + 1)
    let size = 0
    for (let read = 1; read > 0 && size < bytes.length; size += read)
      read = fs.readSync(from, bytes, size, bytes.length - size, null)
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(0, size))
  } catch (error) {
    throw error instanceof TypeError ? new Error("it is not UTF-8 text", { cause: error }) : error
  } finally {
    fs.closeSync(from)
  }
}

const readFile = Effect.fnUntraced(function* (file: string) {
  const { bytesAtMost, read } = yield* Effect.promise(() => import("../shop/ReadShopFile.ts"))
  const text = yield* Effect.try({
    try: () => textOf(file, bytesAtMost),
    catch: (error) => new ShopFileRefused({ message: `Cannot read the shop file ${file}: ${reasonOf(error)}` })
  })
  const found = read(text)
  return Result.isSuccess(found) ? found.success : yield* printFaults(file, found.failure)
})

/** True for a line that shows no change. */
const isWarning = (line: string) => line.startsWith("? ")

interface Action {
  readonly does: "plan" | "apply"
  readonly isPricesOnly: boolean
  readonly plan?: string | undefined
  readonly reason?: string | undefined
}

/** Reads the file before it connects to the database. */
const change = Effect.fnUntraced(function* <E, R>(
  services: Services<E, R>,
  { does, isPricesOnly, plan, reason }: Action,
  file: string
) {
  const edit: ShopEdit = { what: isPricesOnly ? "prices" : "file", read: yield* readFile(file) }
  const actor = Actor.cli(userInfo().username)
  const changed = ShopChanges.use((changes) =>
    does === "plan"
      ? Effect.map(changes.plan(actor, edit), ({ lines, plan }) => ({ lines, id: plan }))
      : Effect.map(changes.apply(actor, randomUUID(), edit, { plan, reason: reason ?? null }), ({ answer, lines }) => ({
          lines,
          id: answer.plan
        }))
  )
  const told = Effect.catchTags(changed, {
    ShopFaulty: ({ details }) => printFaults(file, details.faults, details.count),
    ShopOutdated: ({ detail }) => printFaults(file, [{ line: 1, field: "", reason: detail }]),
    // A command may do everything, and its key is its own.
    PermissionNeeded: Effect.die,
    ActionKeyReused: Effect.die,
    ShopArticleNotFound: Effect.die
  })
  const { id, lines } = yield* Effect.provide(told, services)
  yield* Effect.forEach(lines, (line) => Console.log(line), { discard: true })
  const nothing = lines.every(isWarning) ? "; nothing changes for customers" : ""
  const command = `npx -c 'node src/main.ts ${isPricesOnly ? "prices" : "shop"} apply ${file} --plan ${id}'`
  yield* Console.log(does === "apply" ? `Applied ${file}${nothing}` : `Only planned${nothing}. To apply it: ${command}`)
})

const planning = <E, R>(services: Services<E, R>, isPricesOnly: boolean, description: string) =>
  Command.make("plan", { file }, ({ file }) => change(services, { does: "plan", isPricesOnly }, file)).pipe(
    Command.withDescription(description)
  )

const plan = Flag.String("plan").pipe(
  Flag.optional,
  Flag.withMetavar("id"),
  Flag.withDescription("The id that the plan printed: refuse the file when it would change something else by now")
)

const reason = Flag.String("reason").pipe(
  Flag.withSchema(Line(1, 500)),
  Flag.optional,
  Flag.withMetavar("text"),
  Flag.withDescription("Why, for the audit log, in up to 500 characters")
)

const applying = <E, R>(services: Services<E, R>, isPricesOnly: boolean, description: string) =>
  Command.make("apply", { file, plan, reason }, ({ file, plan, reason }) => {
    const agreed = { plan: Option.getOrUndefined(plan), reason: Option.getOrUndefined(reason) }
    return change(services, { does: "apply", isPricesOnly, ...agreed }, file)
  }).pipe(Command.withDescription(description))

const exported = <E, R>(services: Services<E, R>) =>
  Command.make("export", {}, () =>
    Effect.gen(function* () {
      const text = yield* Shop.use((shop) => shop.exported)
      if (text === undefined) return yield* new ShopFileRefused({ message: "The database has no shop yet" })
      yield* Console.log(`# yaml-language-server: $schema=shop.schema.json\n${text.trimEnd()}`)
    }).pipe(Effect.provide(services))
  ).pipe(Command.withDescription("Print the present shop as a shop file"))

/** The reader of the file refuses unknown fields. */
const closed = (key: string, value: unknown) => (key === "additionalProperties" && value === true ? false : value)

/** The JSON Schema of the shop file, for editors. */
export const fileSchema = () => {
  const { definitions, schema } = Schema.toJsonSchemaDocument(ShopFile)
  const document = { $schema: "https://json-schema.org/draft/2020-12/schema", ...schema, $defs: definitions }
  return JSON.stringify(document, closed, 2)
}

const schema = Command.make("schema", {}, () => Console.log(fileSchema())).pipe(
  Command.withDescription("Print the JSON Schema of the shop file, for editors")
)

/** Commands of the shop: what is sold, from which addresses, and at what price. */
export const shop = <E, R>(services: Services<E, R>) =>
  Command.make("shop").pipe(
    Command.withDescription("Show, change and export what the service sells (docs/shop.md)"),
    Command.withSubcommands([
      planning(
        services,
        false,
        "Show what a shop file would change: offers, prices, addresses, and the running orders of each offer"
      ),
      applying(services, false, "Make the shop what its file says, at once"),
      exported(services),
      schema
    ])
  )

const list = <E, R>(services: Services<E, R>) =>
  Command.make("list", {}, () =>
    Effect.gen(function* () {
      const lines = yield* Shop.use(({ prices }) => prices)
      yield* Effect.forEach(lines, (line) => Console.log(line), { discard: true })
      if (lines.length === 0) yield* Console.log("Nothing is on sale")
    }).pipe(Effect.provide(services))
  ).pipe(Command.withDescription("List the offers on sale: vendor, id, name, prices, and what they cost you"))

/** Commands of the price rules alone. */
export const prices = <E, R>(services: Services<E, R>) =>
  Command.make("prices").pipe(
    Command.withDescription(
      "Show and change the prices and names of offers by the rules of a shop file (docs/shop.md)"
    ),
    Command.withSubcommands([
      list(services),
      planning(services, true, "Show what the rules under `prices` would change in the present catalog"),
      applying(services, true, "Apply only the rules under `prices`")
    ])
  )
