import { pageTexts, type PageTexts, placeholder, type PlaceholderOf, type TextName } from "../brand/PageTexts.ts"

/** A text of the catalog with its values. The document writes it in the words of the brand. */
class Phrase {
  readonly name: TextName
  readonly values: Readonly<Record<string, Content>>
  constructor(name: TextName, values: Readonly<Record<string, Content>>) {
    this.name = name
    this.values = values
  }
}
export type { Phrase }

/** Markup that is safe to send. Only `escaped` makes it. */
class Html {
  readonly parts: ReadonlyArray<string | Phrase>
  constructor(parts: ReadonlyArray<string | Phrase>) {
    this.parts = parts
  }
  /** Writes the markup with the texts of a brand. */
  write(texts: PageTexts): string {
    return this.parts.map((part) => (typeof part === "string" ? part : write(part, texts))).join("")
  }
  /** The markup with the built-in texts. */
  get text(): string {
    return this.write(pageTexts)
  }
}
export type { Html }

/** A part of a page. Everything that is not markup is escaped. */
export type Content = Html | Phrase | string | number

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" }

const escape = (value: string | number) => String(value).replace(/[&<>"']/g, (character) => entities[character] ?? "")

const writeContent = (content: Content, texts: PageTexts): string => {
  if (content instanceof Html) return content.write(texts)
  return content instanceof Phrase ? write(content, texts) : escape(content)
}

const write = ({ name, values }: Phrase, texts: PageTexts): string => {
  const text = texts[name]
  let [from, written] = [0, ""]
  for (const found of text.matchAll(placeholder)) {
    written += escape(text.slice(from, found.index)) + writeContent(values[found[1] ?? ""] ?? "", texts)
    from = found.index + found[0].length
  }
  return written + escape(text.slice(from))
}

type Values<N extends TextName> = [PlaceholderOf<N>] extends [never]
  ? readonly []
  : readonly [Readonly<Record<PlaceholderOf<N>, Content>>]

/** Names a text of the catalog, with the values of its placeholders. */
export const text = <N extends TextName>(name: N, ...values: Values<N>): Phrase => new Phrase(name, values[0] ?? {})

const partsOf = (value: Content | ReadonlyArray<Html>): ReadonlyArray<string | Phrase> => {
  if (value instanceof Html) return value.parts
  if (value instanceof Phrase) return [value]
  return typeof value === "object" ? value.flatMap(({ parts }) => parts) : [escape(value)]
}

/** Builds markup from a template. Escapes every value that is not markup. */
export const escaped = (strings: TemplateStringsArray, ...values: ReadonlyArray<Content | ReadonlyArray<Html>>): Html =>
  new Html(
    strings.raw.flatMap((string, index) => [string, ...(index < values.length ? partsOf(values[index] ?? "") : [])])
  )
