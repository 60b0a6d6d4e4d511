import { type BrandFault } from "./BrandFault.ts"

/** A part of a line. */
export type Inline =
  | { readonly _tag: "Text" | "Strong" | "Emphasis" | "Code"; readonly text: string }
  | { readonly _tag: "Link"; readonly text: string; readonly href: string }
  | { readonly _tag: "Break" }

export type Block =
  | { readonly _tag: "Heading" | "Subheading" | "Paragraph"; readonly content: ReadonlyArray<Inline> }
  | { readonly _tag: "List"; readonly items: ReadonlyArray<ReadonlyArray<Inline>> }
  | { readonly _tag: "Numbered"; readonly start: number; readonly items: ReadonlyArray<ReadonlyArray<Inline>> }

interface Line {
  readonly number: number
  readonly text: string
}

/** The parts that are more than text: strong, emphasis, code, a link, the end of a line that breaks. */
const marked =
  /\*\*(\S(?:.*?\S)?)\*\*|\*([^\s*](?:[^*]*?[^\s*])?)\*|`([^`]+)`|\[([^[\]]+)\]\(([^()\s]+)\)|(?:\\| {2})\n/g

const leadsToPage = (href: string) => ["https:", "http:", "mailto:"].includes(URL.parse(href)?.protocol ?? "")

/** Reads the lines of one block. HTML is text like any other. */
const inline = (text: string, wrongLink: (href: string) => void): ReadonlyArray<Inline> => {
  const parts: Array<Inline> = []
  let from = 0
  const addText = (to: number) => {
    if (to > from) parts.push({ _tag: "Text", text: text.slice(from, to).replaceAll("\n", " ") })
  }
  for (const found of text.matchAll(marked)) {
    const [whole, strong, emphasis, code, label, href] = found
    addText(found.index)
    from = found.index + whole.length
    if (strong !== undefined) parts.push({ _tag: "Strong", text: strong })
    else if (emphasis !== undefined) parts.push({ _tag: "Emphasis", text: emphasis })
    else if (code !== undefined) parts.push({ _tag: "Code", text: code })
    else if (label === undefined || href === undefined) parts.push({ _tag: "Break" })
    else {
      if (!leadsToPage(href)) wrongLink(href)
      parts.push({ _tag: "Link", text: label, href })
    }
  }
  addText(text.length)
  return parts
}

const bullet = /^[-*] +/
const numbered = /^(\d{1,3})\. +/
const isItem = (line: string) => bullet.test(line) || numbered.test(line)
const isHeading = (line: string) => line.startsWith("#")

/** Joins the lines of each item; a line without a mark continues the item before it. */
const itemsOf = (lines: ReadonlyArray<Line>, mark: RegExp): ReadonlyArray<string> => {
  const items: Array<string> = []
  for (const { text } of lines) {
    if (mark.test(text)) items.push(text.replace(mark, ""))
    else items[items.length - 1] += `\n${text.trimStart()}`
  }
  return items
}

/** Splits a text into the lines of its blocks. */
const chunksOf = (text: string): ReadonlyArray<ReadonlyArray<Line>> => {
  const chunks: Array<Array<Line>> = [[]]
  for (const [index, line] of text.split("\n").entries()) {
    const first = chunks.at(-1)?.[0]?.text
    const isEmpty = line.trim() === ""
    const isNext = first !== undefined && (isHeading(line) || isHeading(first) || (isItem(line) && !isItem(first)))
    if (isEmpty || isNext) chunks.push([])
    if (!isEmpty) chunks.at(-1)?.push({ number: index + 1, text: line })
  }
  return chunks.filter((lines) => lines.length > 0)
}

interface Parsed {
  readonly blocks: ReadonlyArray<Block>
  readonly faults: ReadonlyArray<BrandFault>
}

/**
 * Reads a text of the brand in a small part of Markdown: headings, paragraphs, lists, strong text, emphasis, code and
 * links (docs/brand.md). Everything else is text, above all HTML.
 */
export const parse = (file: string, text: string): Parsed => {
  const faults: Array<BrandFault> = []
  const blocks = chunksOf(text).map((lines): Block => {
    const [{ number: line, text: first }] = lines as [Line]
    const read = (content: string) =>
      inline(content, (href) =>
        faults.push({ file, line, reason: `${href} is not a link that begins with https:, http: or mailto:` })
      )
    const [, signs = "", heading = ""] = /^(#{1,6}) +(.*)$/.exec(first) ?? []
    if (signs !== "") return { _tag: signs.length < 3 ? "Heading" : "Subheading", content: read(heading) }
    if (bullet.test(first)) return { _tag: "List", items: itemsOf(lines, bullet).map(read) }
    const [, start] = numbered.exec(first) ?? []
    if (start !== undefined)
      return { _tag: "Numbered", start: Number(start), items: itemsOf(lines, numbered).map(read) }
    return { _tag: "Paragraph", content: read(lines.map(({ text }) => text).join("\n")) }
  })
  return { blocks, faults }
}

/** Reads a text that begins with its title: `# Terms of service`. A fault names the example of a title. */
export const parseTitled = (file: string, text: string, example: string): Parsed & { readonly title: string } => {
  const [first = "", ...others] = text.split("\n")
  const [, title] = /^# +(\S.*)$/.exec(first) ?? []
  const { blocks, faults } = parse(file, ["", ...others].join("\n"))
  if (title !== undefined) return { title: title.trim(), blocks, faults }
  return { title: "", blocks, faults: [{ file, line: 1, reason: `Expected a title, such as # ${example}` }, ...faults] }
}
