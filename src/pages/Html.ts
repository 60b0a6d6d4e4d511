import { placeholder, type PlaceholderOf, type TextName } from "../brand/PageTexts.ts"
import { english, type Language } from "../brand/Language.ts"

/** A part of a page in the language of the reader. `write` returns markup. */
class Phrase {
  readonly write: (language: Language) => string
  constructor(write: (language: Language) => string) {
    this.write = write
  }
}
export type { Phrase }

/** Markup that is safe to send. Only `html` makes it. */
class Html {
  readonly parts: ReadonlyArray<string | Phrase>
  constructor(parts: ReadonlyArray<string | Phrase>) {
    this.parts = parts
  }
  /** Writes the markup in a language. */
  write(language: Language): string {
    let markup = ""
    for (const part of this.parts) markup += typeof part === "string" ? part : part.write(language)
    return markup
  }
  /** The markup in English, with the built-in texts. */
  get text(): string {
    return this.write(english)
  }
}
export type { Html }

/** A part of a page. Everything that is not markup is escaped. `undefined` and `false` are nothing. */
export type Content = Html | Phrase | string | number | false | undefined | ReadonlyArray<Content>

const special = /[&<>"']/
const specials = /[&<>"']/g
const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" }

/** Most texts have no special character, and a test costs less than a replacement. */
const escape = (text: string) =>
  special.test(text) ? text.replace(specials, (character) => entities[character] ?? "") : text

const add = (parts: Array<string | Phrase>, markup: string) => {
  const last = parts.at(-1)
  if (typeof last === "string") parts[parts.length - 1] = last + markup
  else parts.push(markup)
}

const addContent = (parts: Array<string | Phrase>, content: Content): void => {
  if (typeof content === "string") return add(parts, escape(content))
  if (typeof content === "number") return add(parts, String(content))
  if (content === undefined || content === false) return
  if (content instanceof Phrase) return void parts.push(content)
  if (content instanceof Html) {
    for (const part of content.parts)
      if (typeof part === "string") add(parts, part)
      else parts.push(part)
    return
  }
  for (const item of content) addContent(parts, item)
}

/** Builds markup from a template. Escapes every value that is not markup. */
export const html = (strings: TemplateStringsArray, ...values: ReadonlyArray<Content>): Html => {
  const parts: Array<string | Phrase> = []
  for (const [index, string] of strings.raw.entries()) {
    add(parts, string)
    addContent(parts, values[index])
  }
  return new Html(parts)
}

const writeContent = (content: Content, language: Language): string => {
  if (content instanceof Html || content instanceof Phrase) return content.write(language)
  return html`${content}`.write(language)
}

/** Makes a part that depends on the language. `textOf` returns plain text. */
export const localized = (textOf: (language: Language) => string): Phrase =>
  new Phrase((language) => escape(textOf(language)))

type Values<N extends TextName> = [PlaceholderOf<N>] extends [never]
  ? readonly []
  : readonly [Readonly<Record<PlaceholderOf<N>, Content>>]

const phrase = (nameIn: (language: Language) => TextName, values: Readonly<Record<string, Content>>): Phrase =>
  new Phrase((language) => {
    const text = language.texts[nameIn(language)]
    let [from, markup] = [0, ""]
    for (const found of text.matchAll(placeholder)) {
      markup += escape(text.slice(from, found.index)) + writeContent(values[found[1] ?? ""], language)
      from = found.index + found[0].length
    }
    return markup + escape(text.slice(from))
  })

/** Names a text of the catalog, with the values of its placeholders. */
export const text = <N extends TextName>(name: N, ...values: Values<N>): Phrase => phrase(() => name, values[0] ?? {})

/** The texts that exist for one and for several. */
type CountedName = TextName extends infer N ? (N extends `${infer Base}_other` ? Base : never) : never

type CountedValues<N extends CountedName> = Exclude<PlaceholderOf<`${N}_other` & TextName>, "count">

/** Names a text that depends on a number: `{name}_one` or `{name}_other`, with `{{count}}`. */
export const counted = <N extends CountedName>(
  name: N,
  count: number,
  ...values: [CountedValues<N>] extends [never] ? readonly [] : readonly [Readonly<Record<CountedValues<N>, Content>>]
): Phrase =>
  phrase(({ plural }) => `${name}_${plural.select(count) === "one" ? "one" : "other"}` as TextName, {
    ...values[0],
    count: localized(({ number }) => number.format(count))
  })
