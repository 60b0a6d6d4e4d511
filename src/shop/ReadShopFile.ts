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

const fieldsOf = (node: Node) => {
  const items = isMap(node) ? node.items : []
  return new Map(items.map(({ key, value }): [string, unknown] => [isScalar(key) ? `${key.value}` : "", value]))
}

/** Finds the value of a field. The library looks through all fields of a group, which a file with many faults repeats. */
const makeValueIn = () => {
  const read = new Map<Node, Map<string, unknown>>()
  return (node: Node, field: string | number): unknown => {
    if (isSeq(node)) return node.items[Number(field)]
    const fields = read.get(node) ?? fieldsOf(node)
    read.set(node, fields)
    return fields.get(`${field}`)
  }
}

/** Makes faults with the line of a field, or of the innermost field around a missing one. */
const makeFaultAt = (document: Document, lineOf: (node: Node) => number) => {
  const valueIn = makeValueIn()
  return (path: Path, reason: string): ShopFault => {
    let [node, line] = [document.contents as Node | null, 1]
    for (const field of path) {
      const value = node === null ? undefined : valueIn(node, field)
      if (!isNode(value)) break
      line = lineOf(value)
      node = value
    }
    return { line, field: path.join("."), reason }
  }
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

/** Reads a shop file. Fails with all its faults, in the order of their lines. */
export const read = (text: string): Result.Result<ReadShop, ReadonlyArray<ShopFault>> => {
  if (Buffer.byteLength(text) > bytesAtMost) return Result.fail([ofFile("The file is larger than 4 MiB")])
  const deep = tooDeep(text)
  if (deep !== undefined) return Result.fail([ofFile("Groups and lists are nested too deep", deep)])
  const lines = new LineCounter()
  // The library compares each key with each other one, which takes half a minute for 10,000 articles.
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: false, prettyErrors: false })
  const lineOf = ({ range }: Node) => lines.linePos(range?.[0] ?? 0).line
  const yaml = faultsOfYaml(document, lineOf, lines)
  if (yaml.length > 0) return Result.fail(inOrder(yaml))

  const faultAt = makeFaultAt(document, lineOf)
  const value: unknown = document.toJS({ maxAliasCount: -1 })
  const exit = decode(value)
  const shape: ReadonlyArray<Found> = Option.match(Exit.findErrorOption(exit), {
    onNone: () => [],
    onSome: ({ issue }) =>
      faultsAt("file", issue, Infinity).map(({ loc: [, ...path], msg }) => own(path, wordsOf(path, msg)))
  })
  const found = [...shape, ...faultsOf(Exit.isSuccess(exit) ? allOf(exit.value) : readableOf(value))]
  return Exit.isSuccess(exit) && found.length === 0
    ? Result.succeed({ shop: exit.value, faultAt })
    : Result.fail(inOrder(found.map(({ path, reason }) => faultAt(path, reason))))
}
