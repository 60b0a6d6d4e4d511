const isWarning = (line: string) => line.startsWith("? ")

/** Puts the lines of a report that ask for attention first, so that a list that is cut off holds them. */
export const warningsFirst = (lines: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...lines.filter(isWarning),
  ...lines.filter((line) => !isWarning(line))
]
