import { oneLine } from "./OneLine.ts"

/** The characters that begin a formula, also in full width, after any white space and invisible characters. */
const formula = /^[\s\p{Z}\p{Cf}]*[=+\-@＝＋－＠]/u

/**
 * Protects a cell of a CSV file whose text other people may have written. Spreadsheets run a cell that begins with one of
 * these characters as a formula (OWASP, "CSV Injection"); after an apostrophe they show it as text. The text stands on one
 * line, for programs that read the file by lines.
 */
export const plainCell = (text: string): string => {
  const line = oneLine(text)
  return formula.test(line) ? `'${line}` : line
}
