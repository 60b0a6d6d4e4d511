import { Console, Effect, Option, Schema } from "effect"
import { Argument, Command } from "effect/cli"
import * as fs from "node:fs"
import * as path from "node:path"
import { described } from "../brand/BrandFault.ts"
import * as BrandFolder from "../brand/BrandFolder.ts"

class BrandRefused extends Schema.TaggedError<BrandRefused>()("BrandRefused", { message: Schema.String }) {}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

const check = Command.make(
  "check",
  {
    directory: Argument.String("dir").pipe(
      Argument.optional,
      Argument.withDescription("The folder of the brand; default: BRAND_DIR")
    )
  },
  Effect.fn(function* ({ directory }) {
    const chosen = Option.isSome(directory) ? directory : yield* BrandFolder.setting
    if (Option.isNone(chosen)) return yield* new BrandRefused({ message: "Name a folder, or set BRAND_DIR" })
    const { faults, files } = BrandFolder.check(chosen.value)
    yield* Effect.forEach(faults, (fault) => Console.log(described(fault)), { discard: true })
    if (faults.length > 0) return yield* new BrandRefused({ message: `Faults in ${chosen.value}: ${faults.length}` })
    yield* Console.log(`${chosen.value} has no faults; files: ${files}`)
  })
).pipe(Command.withDescription("Check the folder of a brand and print its faults. Exit code 1: it has faults"))

/** Writes no file when one of them exists, because the operator may have changed it. */
const write = (directory: string) => {
  const files = BrandFolder.builtInFiles.map(([file, text]) => [path.join(directory, file), text] as const)
  const present = files.find(([file]) => fs.existsSync(file))
  if (present !== undefined) throw new Error(`${present[0]} exists; choose another folder`)
  for (const [file, text] of files) {
    fs.mkdirSync(path.dirname(file), { recursive: true })
    fs.writeFileSync(file, text, { flag: "wx" })
  }
}

const exported = Command.make(
  "export",
  { directory: Argument.String("dir").pipe(Argument.withDescription("The folder to write")) },
  Effect.fn(function* ({ directory }) {
    yield* Effect.try({
      try: () => write(directory),
      catch: (error) => new BrandRefused({ message: reasonOf(error) })
    })
    yield* Console.log(`${directory} has the built-in brand; change what you need, and delete the other files`)
  })
).pipe(Command.withDescription("Write the built-in brand into a folder, to be changed; replaces no file"))

/** Commands of the brand. They need no database. */
export const brand = Command.make("brand").pipe(
  Command.withDescription("Write the built-in brand into a folder, and check such a folder (docs/brand.md)"),
  Command.withSubcommands([check, exported])
)
