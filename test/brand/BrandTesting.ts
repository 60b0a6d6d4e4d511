import { Effect } from "effect"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"

type Files = Readonly<Record<string, string | Uint8Array>>

/** A folder with these files, until the test ends. */
export const folderWith = Effect.fnUntraced(function* (files: Files) {
  const directory = yield* Effect.acquireRelease(
    Effect.sync(() => fs.mkdtempSync(path.join(tmpdir(), "brand-"))),
    (directory) => Effect.sync(() => fs.rmSync(directory, { recursive: true, force: true }))
  )
  for (const [file, content] of Object.entries(files)) {
    const at = path.join(directory, file)
    fs.mkdirSync(path.dirname(at), { recursive: true })
    fs.writeFileSync(at, content)
  }
  return directory
})

const page = fs.readFileSync(new URL("../../docs/brand.md", import.meta.url), "utf8")

/** The complete example of docs/brand.md, by file. */
export const example: Readonly<Record<string, string>> = Object.fromEntries(
  Array.from(page.matchAll(/^`([\w./-]+)`:\n\n```\w+\n([^]*?)```$/gm), ([, file = "", content = ""]) => [file, content])
)
