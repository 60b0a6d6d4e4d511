import { type Alias, CST, type Document, isAlias, isCollection, isPair, Lexer, type Node, visit } from "yaml"

/** Limit of the levels of groups and lists in a file. A shop has eight; the library reads each level with its own call. */
const levelsAtMost = 32

/** Limit of the values that a file stands for. A shop may use one list of periods in each article. */
export const valuesAtMost = 1_000_000

const opening = new Set(["flow-map-start", "flow-seq-start"])
const closing = new Set(["flow-map-end", "flow-seq-end"])
/** What may begin a group or a list within its line. */
const indicators = new Set(["seq-item-ind", "explicit-key-ind", "map-value-ind"])
const blank = new Set(["space", "newline", "comment"])

/**
 * Returns the line, from 1, where a text nests deeper than the limit. Undefined: nowhere. It reads the words of the text, so
 * it needs no call for each level.
 */
export const tooDeep = (text: string): number | undefined => {
  /** The columns where the groups and lists around the present word begin. */
  const columns: Array<number> = []
  let [line, column, brackets] = [1, 0, 0]
  let [isStart, isContent] = [true, false]
  for (const word of new Lexer().lex(text)) {
    const type = isContent ? "content" : CST.tokenType(word)
    if (brackets === 0 && isStart && type !== null && !blank.has(type)) {
      while ((columns.at(-1) ?? -1) >= column) columns.pop()
      columns.push(column)
    }
    if (type !== null && opening.has(type)) brackets += 1
    if (type !== null && closing.has(type)) brackets -= 1
    if (columns.length + brackets > levelsAtMost) return line
    isContent = word === CST.SCALAR
    if (isContent) continue
    const lines = word.split("\n")
    line += lines.length - 1
    column = lines.length > 1 ? (lines.at(-1)?.length ?? 0) : column + word.length
    isStart = lines.length > 1 || (type !== null && (indicators.has(type) || (isStart && type === "space")))
  }
  return undefined
}

/** Finds the aliases without an anchor before them. */
export const lostAliases = (document: Document): ReadonlyArray<Alias> => {
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

/** Counts the values that a document stands for, each alias as what it repeats. Infinite: an alias within its own anchor. */
export const valuesOf = (document: Document): number => {
  const counts = new Map<string, number>()
  const count = (node: unknown): number => {
    if (isAlias(node)) return counts.get(node.source) ?? Infinity
    if (isPair(node)) return count(node.key) + count(node.value)
    const { anchor } = (node ?? {}) as Partial<Node> & { readonly anchor?: string }
    if (anchor !== undefined) counts.set(anchor, Infinity)
    const sum = isCollection(node) ? node.items.reduce<number>((sum, item) => sum + count(item), 1) : 1
    if (anchor !== undefined) counts.set(anchor, sum)
    return sum
  }
  return count(document.contents)
}
