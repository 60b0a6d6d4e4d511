import { Exit, Option, Result, Schema } from "effect"
import {
  type Document,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type Scalar,
  visit
} from "yaml"
import { faultsAt } from "../platform/errors/Faults.ts"
import { allOf, faultsOf, type Found, inOrder, own, type Path, readableOf, repeated } from "./CheckShopFile.ts"
import { wordsOf, yamlWordsOf } from "./ShopFaultWords.ts"
import { ShopFile } from "./ShopFile.ts"
import { lostAliases, tooDeep, valuesAtMost, valuesOf } from "./YamlBounds.ts"

/** A fault of a shop file. */
export interface ShopFault {
  /** The first line is 1. */
  readonly line: number
  /** The path of the field, such as `articles.isp-de.periods.0.usd`; empty for the file itself. */
  readonly field: string
  readonly reason: string
}

/** A shop, and the lines of its file. */
export interface ReadShop {
  readonly shop: ShopFile
  /** Makes a fault with the line of the field at `path`, or of the innermost field around it. */
  readonly faultAt: (path: Path, reason: string) => ShopFault
}

/** A shop with the lines of its fields, as a thread hands it over. */
export interface PlainShop {
  readonly shop: ShopFile
  readonly lines: ReadonlyMap<string, number>
}

type Faults = ReadonlyArray<ShopFault>

/** Limit of the bytes of a shop file. */
export const bytesAtMost = 4 * 1024 * 1024

const decode = Schema.decodeUnknownExit(ShopFile, { errors: "all", onExcessProperty: "error" })

/** Finds keys that become the same name in a map, such as `1` and `"1"`. */
const repeatedKeys = (document: Document): ReadonlyArray<Scalar> => {
  const found: Array<Scalar> = []
  visit(document, {
    Map: (_, { items }) => {
      const keys = items.flatMap(({ key }) => (isScalar(key) ? key : []))
      found.push(...repeated(keys, ({ value }) => String(value)))
    }
  })
  return found
}

const nameOf = (key: unknown) => (isScalar(key) ? `${key.value}` : "")

/** Joins a path to a text; no name has this character. */
const placeOf = (path: Path) => path.join("\u0000")

/** The lines of all fields of a document, by their places. An alias has the line where it stands, and no fields. */
const linesIn = (document: Document, lineOf: (node: Node) => number): ReadonlyMap<string, number> => {
  const lines = new Map<string, number>()
  const add = (value: unknown, path: Path) => {
    if (!isNode(value)) return
    if (path.length > 0) lines.set(placeOf(path), lineOf(value))
    if (isSeq(value)) for (const [index, item] of value.items.entries()) add(item, [...path, index])
    if (isMap(value)) for (const { key, value: field } of value.items) add(field, [...path, nameOf(key)])
  }
  add(document.contents, [])
  return lines
}

/** Makes faults with the line of a field, or of the innermost field around a missing one. */
const faultAtIn =
  (lines: ReadonlyMap<string, number>) =>
  (path: Path, reason: string): ShopFault => {
    const field = path.join(".")
    for (let depth = path.length; depth > 0; depth -= 1) {
      const line = lines.get(placeOf(path.slice(0, depth)))
      if (line !== undefined) return { line, field, reason }
    }
    return { line: 1, field, reason }
  }

const ofFile = (reason: string, line = 1): ShopFault => ({ line, field: "", reason })

/** Finds what keeps the values of a document from being read. */
const faultsOfYaml = (document: Document, lineOf: (node: Node) => number, lines: LineCounter) => {
  if (document.errors.length > 0) {
    const faults = document.errors.map(({ code, message, pos }) =>
      ofFile(yamlWordsOf(code, message), lines.linePos(pos[0]).line)
    )
    // The later faults of a line follow from its first.
    return [...new Map(faults.toReversed().map((fault) => [fault.line, fault])).values()]
  }
  const keys = repeatedKeys(document)
  if (keys.length > 0) return keys.map((key) => ofFile(`The name ${key} is in its group twice`, lineOf(key)))
  const lost = lostAliases(document)
  if (lost.length > 0)
    return lost.map((alias) => ofFile(`There is no &${alias.source} before *${alias.source}`, lineOf(alias)))
  return valuesOf(document) > valuesAtMost ? [ofFile(`The file stands for more than ${valuesAtMost} values`)] : []
}

/** Reads the values of a shop file. Fails with all their faults, in the order of their lines. */
const readValue = (value: unknown, lines: ReadonlyMap<string, number>): Result.Result<PlainShop, Faults> => {
  const exit = decode(value)
  const shape: ReadonlyArray<Found> = Option.match(Exit.findErrorOption(exit), {
    onNone: () => [],
    onSome: ({ issue }) =>
      faultsAt("file", issue, Infinity).map(({ loc: [, ...path], msg }) => own(path, wordsOf(path, msg)))
  })
  const found = [...shape, ...faultsOf(Exit.isSuccess(exit) ? allOf(exit.value) : readableOf(value))]
  if (Exit.isSuccess(exit) && found.length === 0) return Result.succeed({ shop: exit.value, lines })
  const faultAt = faultAtIn(lines)
  return Result.fail(inOrder(found.map(({ path, reason }) => faultAt(path, reason))))
}

/** Reads a shop file as plain data. Fails with all its faults, in the order of their lines. */
export const readPlain = (text: string): Result.Result<PlainShop, Faults> => {
  if (Buffer.byteLength(text) > bytesAtMost) return Result.fail([ofFile("The file is larger than 4 MiB")])
  const deep = tooDeep(text)
  if (deep !== undefined) return Result.fail([ofFile("Groups and lists are nested too deep", deep)])
  const counter = new LineCounter()
  // The library compares each key with each other one, which takes half a minute for 10,000 articles.
  const document = parseDocument(text, { lineCounter: counter, uniqueKeys: false, prettyErrors: false })
  const lineOf = ({ range }: Node) => counter.linePos(range?.[0] ?? 0).line
  const yaml = faultsOfYaml(document, lineOf, counter)
  if (yaml.length > 0) return Result.fail(inOrder(yaml))
  return readValue(document.toJS({ maxAliasCount: -1 }), linesIn(document, lineOf))
}

/** Gives a shop the function that finds the lines of its fields. */
export const placed = ({ lines, shop }: PlainShop): ReadShop => ({ shop, faultAt: faultAtIn(lines) })

/** Reads a shop file. Fails with all its faults, in the order of their lines. */
export const read = (text: string): Result.Result<ReadShop, Faults> => Result.map(readPlain(text), placed)

/** Reads a shop that was never a text as plain data. All its faults are in the first line. */
export const plainOf = (file: unknown): Result.Result<PlainShop, Faults> => readValue(file, new Map())

/** The same, with the function that finds lines. */
export const readEdited = (file: unknown): Result.Result<ReadShop, Faults> => Result.map(plainOf(file), placed)
