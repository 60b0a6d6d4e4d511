import { didYouMean } from "../platform/DidYouMean.ts"
import type { Path } from "./CheckShopFile.ts"
import { fieldNames } from "./ShopFile.ts"

const noField = "Expected no excess property"

/** The words of the decoder that name no field of YAML, in words for the person who writes the file. */
const plainWords = new Map([
  ["Missing key", "This field is missing"],
  ["Expected string", "Expected a text"],
  ["Expected number", "Expected a number"],
  ["Expected an integer", "Expected a whole number"],
  ["Expected boolean", "Expected true or false"],
  ["Expected Shop", "Expected the fields version, pools and articles"],
  ["Expected array", "Expected a list"],
  ["Expected object", "Expected a group of fields"]
])

const longestName = 30

/** Says that a group has no such field, and which it has. */
const unknownField = (path: Path): string => {
  const said = "There is no such field here"
  const name = String(path.at(-1))
  // A comma ends a field of a group in braces, so `usd: 1,80` is two fields.
  if (/^\d+$/.test(name)) return `${said}; decimals have a point, such as 1.80`
  const group = path.slice(0, -1).map((part, index) => (index % 2 === 1 ? "*" : part))
  const known = fieldNames[group.join(".")] ?? []
  const meant = name.length > longestName ? "" : didYouMean(name, known)
  return `${said}${meant || `; the fields are ${known.join(", ")}`}`
}

/** Explains a fault of the decoder. */
export const wordsOf = (path: Path, message: string): string =>
  message === noField ? unknownField(path) : (plainWords.get(message) ?? message)

/** The words of the YAML library about the way of writing, in words for the person who writes the file. */
const yamlWords: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: "Indent with spaces, not with tabs",
  BAD_INDENT: "The fields of one group begin in the same column",
  BLOCK_AS_IMPLICIT_KEY:
    'A text with a colon needs quotes, such as name: "Datacenter: US"; or the indentation is wrong',
  MULTILINE_IMPLICIT_KEY: "Expected a field in one line, such as usd: 1.80; or the indentation is wrong"
}

/** Explains a fault of the YAML library. */
export const yamlWordsOf = (code: string, message: string): string =>
  yamlWords[code] ?? message.split("\n", 1)[0]?.replace(/ at line \d+.*$/, "") ?? ""
