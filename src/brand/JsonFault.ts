import { type BrandFault, lineAt } from "./BrandFault.ts"

/** Reads the place in a message of the JSON parser; undefined when the message has none. */
const placeIn = (error: unknown): number | undefined => {
  const [, place] = /at position (\d+)/.exec(String(error)) ?? []
  return place === undefined ? undefined : Number(place)
}

/** True when a text can become JSON by more characters at its end. */
const canContinue = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch (error) {
    return String(error).includes("Unexpected end") || placeIn(error) === text.length
  }
}

/** Finds the first line with which the text can no longer become JSON, in log2(lines) attempts. */
const lineBySearch = (text: string): number => {
  const lines = text.split("\n")
  let [good, wrong] = [0, lines.length]
  while (wrong - good > 1) {
    const middle = Math.floor((good + wrong) / 2)
    if (canContinue(lines.slice(0, middle).join("\n"))) good = middle
    else wrong = middle
  }
  return wrong
}

/** Describes why a text is not JSON. The parser names the place of some faults only. */
export const of = (text: string, error: unknown): Pick<BrandFault, "line" | "reason"> => {
  const place = placeIn(error)
  const message = error instanceof Error ? error.message : String(error)
  const why = message.replace(/,? (\.\.\.)?".*is not valid JSON$/s, "").replace(/ (in JSON )?at position .*$/s, "")
  return { line: place === undefined ? lineBySearch(text) : lineAt(text, place), reason: `is not valid JSON: ${why}` }
}

/** Finds the line of a field by its path; of a missing field, the line of what it is missing from. */
export const lineOf = (text: string, path: ReadonlyArray<string | number>): number => {
  let index = 0
  for (const key of path) {
    const found = text.indexOf(JSON.stringify(String(key)), index)
    if (found >= 0) index = found
  }
  return lineAt(text, index)
}
