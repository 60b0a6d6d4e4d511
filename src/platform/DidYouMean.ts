/** Counts the edits of one letter that turn a word into another (Levenshtein distance). */
const distance = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [index, letter] of Array.from(one).entries()) {
    const next = [index + 1]
    for (let at = 0; at < other.length; at++) {
      const replaced = row[at]! + (letter === other[at] ? 0 : 1)
      next.push(Math.min(replaced, row[at + 1]! + 1, next[at]! + 1))
    }
    row = next
  }
  return row[other.length]!
}

const mostEdits = 2

/** Asks whether a misspelt word means the nearest known one; empty when none is similar. */
export const didYouMean = (word: string, known: ReadonlyArray<string>): string => {
  const [meant] = known
    .map((name) => ({ name, edits: distance(word, name) }))
    .filter(({ edits }) => edits <= mostEdits)
    .toSorted((one, other) => one.edits - other.edits)
  return meant === undefined ? "" : ` (did you mean ${meant.name}?)`
}
