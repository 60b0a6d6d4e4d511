import { assert, it } from "@effect/vitest"
import fs from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../..", import.meta.url))

/** Folders and files whose comments and pages are read. */
const read = ["src", "test", "migrations", "bench", "faults", "docs", "bin", "deploy", "README.md", "Dockerfile"]
const settings = [
  ".env.example",
  "docker-compose.yml",
  "oxlint.config.ts",
  "vitest.config.ts",
  "vitest.browser.config.ts"
]

/** Consecutive lines of prose, as one line: a reference may go on in the next line. */
interface Passage {
  readonly file: string
  readonly line: number
  readonly text: string
}

const exists = (file: string) => fs.existsSync(path.join(root, file))
const content = (file: string) => fs.readFileSync(path.join(root, file), "utf8")

const filesIn = (place: string): ReadonlyArray<string> => {
  if (fs.statSync(path.join(root, place)).isFile()) return [place]
  return fs.readdirSync(path.join(root, place)).flatMap((name) => filesIn(path.posix.join(place, name)))
}

const files = [...read, ...settings].flatMap(filesIn).filter((file) => !/\.(png|jpe?g|svg|ico)$/.test(file))

/** Finds the prose of a line: all of it in a page, else its comment; undefined without one. */
const proseOf = (file: string, line: string): string | undefined => {
  if (file.endsWith(".md")) return line.trim() || undefined
  const comment = /\.(ts|mjs)$/.test(file)
    ? /^\s*(?:\/\*\*?|\*|\/\/)(.*)$|\s\/\/\s(.*)$/
    : /^\s*(?:--|#)(.*)$|\s#\s(.*)$/
  const found = comment.exec(line)
  return found === null ? undefined : (found[1] ?? found[2] ?? "").replace(/\*\/.*$/, "").trim()
}

const passagesOf = (file: string): ReadonlyArray<Passage> => {
  const passages: Array<{ file: string; line: number; text: string }> = []
  let open = false
  for (const [index, line] of content(file).split("\n").entries()) {
    const prose = proseOf(file, line)
    const last = passages.at(-1)
    if (prose !== undefined && open && last !== undefined) last.text += ` ${prose}`
    else if (prose !== undefined) passages.push({ file, line: index + 1, text: prose })
    open = prose !== undefined
  }
  return passages
}

const own = "test/house/References.test.ts"
const passages = files.filter((file) => file !== own).flatMap(passagesOf)

/** Lines with their code: messages and names of tests refer to pages too. */
const lines = files
  .filter((file) => file !== own)
  .flatMap((file) =>
    content(file)
      .split("\n")
      .map((text, index) => ({ file, line: index + 1, text }))
  )

const headingsOf = (page: string) =>
  [...content(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => heading.replaceAll("`", "").trim())

const sectionsOf = (page: string): ReadonlyArray<string> => (exists(page) ? headingsOf(page) : [])

/** Makes the anchor of a heading as GitHub does. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-")

interface Check {
  readonly name: string
  readonly places: ReadonlyArray<Passage>
  readonly pattern: RegExp
  readonly isRight: (match: RegExpExecArray, place: Passage) => boolean
  /** Text that the check refuses. */
  readonly refused: string
}

const checks: ReadonlyArray<Check> = [
  {
    name: "Every section that a comment or a page names by its title exists",
    places: passages,
    pattern: /(docs\/[\w-]+\.md), ((?:(?:,| and|, and)? ?"[^"]+")+)/g,
    isRight: ([, page = "", titles = ""]) => {
      const sections = sectionsOf(page)
      return [...titles.matchAll(/"([^"]+)"/g)].every(([, title = ""]) => sections.includes(title))
    },
    refused: 'Ends every order (docs/contract.md, "Orders" and "Everything else").'
  },
  {
    name: "Every comment that refers to the contract names a section by its title",
    places: passages.filter(({ file }) => !file.endsWith(".md")),
    pattern: /docs\/contract\.md(?!, ")/g,
    isRight: () => false,
    refused: "Ends every order (docs/contract.md, section 4)."
  },
  {
    name: "Every file of the repository that a comment or a page names exists",
    places: passages,
    pattern: /(?<![\w./@-])(?:src|test|migrations|bench|faults|docs|bin|deploy)\/[\w./-]*\.(?:ts|mjs|md|sql|py|png)\b/g,
    isRight: ([file]) => exists(file),
    refused: "See src/platform/Absent.ts."
  },
  {
    name: "Every page that a message names exists",
    places: lines,
    pattern: /(?<![\w./-])docs\/[\w./-]+\.md\b/g,
    isRight: ([file]) => exists(file),
    refused: 'Effect.logWarning("No IP vendor is configured (docs/absent.md)")'
  },
  {
    name: "Every link of a page leads to a file and to a heading that exist",
    places: passages.filter(({ file }) => file.endsWith(".md")),
    pattern: /\]\((?![a-z]+:)([^)#\s]*)(?:#([^)\s]*))?\)/g,
    isRight: ([, link = "", anchor], { file }) => {
      const target = link === "" ? file : path.posix.join(path.posix.dirname(file), link)
      if (!exists(target)) return false
      return anchor === undefined || headingsOf(target).map(anchorOf).includes(anchor)
    },
    refused: "See [the gateway](docs/gateway.md#no-such-heading)."
  },
  {
    name: "No comment, page or test refers to a document that the repository does not contain",
    places: [...passages, ...lines],
    pattern:
      /\b(?:specifications?|decisions?|architecture|style)(?:\.md|'s)?,? (?:section|chapter|item|point)s?\b|(?<![\w/])(?:specification|decisions|style)\.md\b|\bthe specification\b(?! of )/gi,
    isRight: () => false,
    refused: "Charges each order once (decisions section 5)."
  },
  {
    name: "Every numbered section that a comment or a page names belongs to a published standard",
    places: passages,
    pattern: /\S+ \S+ sections? \d[\d.]*/gi,
    isRight: ([text]) => /(?:RFC \d+|draft-[\w-]+|JSON-RPC 2\.0),? sections? /i.test(text),
    refused: "Retries after an hour (see section 6.4)."
  }
]

/** Lists each wrong reference of `places` with its file and line. */
const wrong = ({ isRight, pattern }: Check, places: ReadonlyArray<Passage>): ReadonlyArray<string> => {
  const found = places.flatMap((place) =>
    [...place.text.matchAll(pattern)]
      .filter((match) => !isRight(match, place))
      .map(([text]) => `${place.file}:${place.line}: ${text}`)
  )
  return [...new Set(found)]
}

for (const check of checks) {
  it(check.name, () => {
    assert.deepStrictEqual(wrong(check, check.places), [])
    assert.lengthOf(wrong(check, [{ file: "README.md", line: 1, text: check.refused }]), 1)
  })
}
