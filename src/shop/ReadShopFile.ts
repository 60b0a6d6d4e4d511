import { Exit, Option, Result, Schema } from "effect"
import {
  type Alias,
  type Document,
  isAlias,
  isNode,
  isScalar,
  LineCounter,
  type Node,
  parseDocument,
  visit
} from "yaml"
import { faultsAt, mostFaults } from "../platform/errors/Faults.ts"
import { allOf, faultsOf, type Found, own, type Path, readableOf, repeated } from "./CheckShopFile.ts"
import { ShopFile } from "./ShopFile.ts"

/** A fault of a shop file. */
export interface ShopFault {
  /** The first line is 1. */
  readonly line: number
  /** The path of the field, such as `articles.isp-de.periods.0.usd`; empty for the file itself. */
  readonly field: string
  readonly reason: string
}

export const bytesAtMost = 4 * 1024 * 1024

/** Bounds what aliases multiply. A shop may use one list of periods in each article. */
const aliasesAtMost = 10_000

export const inOrder = (faults: ReadonlyArray<ShopFault>) => faults.toSorted((a, b) => a.line - b.line)

const decode = Schema.decodeUnknownExit(ShopFile, { errors: "all", onExcessProperty: "error" })

/** Finds keys that become the same name in a map, such as `1` and `"1"`. */
const repeatedKeys = (document: Document): ReadonlyArray<Node> => {
  const found: Array<Node> = []
  visit(document, {
    Map: (_, { items }) => {
      const keys = items.flatMap(({ key }) => (isScalar(key) ? key : []))
      found.push(...repeated(keys, ({ value }) => String(value)))
    }
  })
  return found
}

/** Finds the aliases without an anchor before them. */
const lostAliases = (document: Document): ReadonlyArray<Alias> => {
  const anchors = new Set<string>()
  const lost: Array<Alias> = []
  visit(document, {
    Node: (_, node) => {
      if (!isAlias(node)) anchors.add(node.anchor ?? "")
      else if (!anchors.has(node.source)) lost.push(node)
    }
  })
  return lost
}

/** A shop, and the lines of its file. */
export interface ReadShop {
  readonly shop: ShopFile
  /** Makes a fault with the line of the field at `path`, or of the innermost field around it. */
  readonly faultAt: (path: Path, reason: string) => ShopFault
}

/** The words of the decoder that name no field of YAML, in words for the person who writes the file. */
const plainWords = new Map([
  ["Missing key", "This field is missing"],
  ["Expected no excess property", "There is no such field here"],
  ["Expected string", "Expected a text"],
  ["Expected number", "Expected a number"],
  ["Expected an integer", "Expected a whole number"],
  ["Expected boolean", "Expected true or false"],
  ["Expected Shop", "Expected the fields version, pools and articles"],
  ["Expected array", "Expected a list"],
  ["Expected object", "Expected a group of fields"]
])

/** Reads a shop file. Fails with all its faults, in the order of their lines. */
export const read = (text: string): Result.Result<ReadShop, ReadonlyArray<ShopFault>> => {
  if (Buffer.byteLength(text) > bytesAtMost)
    return Result.fail([{ line: 1, field: "", reason: "The file is larger than 4 MiB" }])
  const lines = new LineCounter()
  // The library compares each key with each other one, which takes half a minute for 10,000 articles.
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: false })

  const lineOfNode = ({ range }: Node) => lines.linePos(range?.[0] ?? 0).line
  /** The line of a field, or of the innermost field around a missing one. */
  const lineOf = (path: Path): number => {
    const node = document.getIn(path, true)
    if (isNode(node)) return lineOfNode(node)
    return path.length === 0 ? 1 : lineOf(path.slice(0, -1))
  }
  const faultAt = (path: Path, reason: string) => ({ line: lineOf(path), field: path.join("."), reason })
  const faults = (found: ReadonlyArray<Found>) =>
    Result.fail(inOrder(found.map(({ path, reason }) => faultAt(path, reason))))

  if (document.errors.length > 0)
    return Result.fail(
      document.errors.slice(0, mostFaults).map(({ linePos, message }) => ({
        line: linePos?.[0].line ?? 1,
        field: "",
        reason: message.split("\n", 1)[0]?.replace(/ at line \d+.*$/, "") ?? ""
      }))
    )
  const keys = repeatedKeys(document)
  if (keys.length > 0)
    return Result.fail(
      keys.map((key) => ({ line: lineOfNode(key), field: "", reason: "The keys of a group must be unique" }))
    )
  const values = Result.try(() => document.toJS({ maxAliasCount: aliasesAtMost }))
  if (Result.isFailure(values)) {
    const lost = lostAliases(document).map((alias) => ({
      line: lineOfNode(alias),
      field: "",
      reason: `There is no &${alias.source} before *${alias.source}`
    }))
    const reason = `The aliases of the file stand for more than ${aliasesAtMost} values`
    return Result.fail(lost.length === 0 ? [{ line: 1, field: "", reason }] : lost)
  }
  const exit = decode(values.success)
  const shape = Option.match(Exit.findErrorOption(exit), {
    onNone: () => [],
    onSome: ({ issue }) =>
      faultsAt("file", issue).map(({ loc: [, ...path], msg }) => own(path, plainWords.get(msg) ?? msg))
  })
  const found = [...shape, ...faultsOf(Exit.isSuccess(exit) ? allOf(exit.value) : readableOf(values.success))]
  return Exit.isSuccess(exit) && found.length === 0 ? Result.succeed({ shop: exit.value, faultAt }) : faults(found)
}
