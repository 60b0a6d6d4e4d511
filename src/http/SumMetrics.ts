/** One metric: its `#` lines, and its samples by name and labels. */
interface Family {
  readonly comments: Set<string>
  readonly samples: Map<string, number>
}

const comment = /^# (?:HELP|TYPE) (\S+)/

/** Adds the samples of several texts in the Prometheus text format, whose samples have no timestamps. */
export const sum = (texts: ReadonlyArray<string>): string => {
  const families = new Map<string, Family>()
  const familyOf = (name: string) => {
    const family = families.get(name) ?? { comments: new Set(), samples: new Map() }
    families.set(name, family)
    return family
  }
  for (const text of texts) {
    let family = familyOf("")
    for (const line of text.split("\n")) {
      const named = comment.exec(line)?.[1]
      if (named !== undefined) {
        family = familyOf(named)
        family.comments.add(line)
      } else if (line !== "") {
        const end = line.lastIndexOf(" ")
        const sample = line.slice(0, end)
        family.samples.set(sample, (family.samples.get(sample) ?? 0) + Number(line.slice(end + 1)))
      }
    }
  }
  const linesOf = ({ comments, samples }: Family) => [
    ...comments,
    ...Array.from(samples, ([name, value]) => `${name} ${value}`)
  ]
  return [...Array.from(families.values()).flatMap(linesOf), ""].join("\n")
}
