/**
 * Makes a memory of the keys that this process has seen lately: at least the last `least`, at most twice this number. A
 * forgotten key costs only time.
 */
export const make = (least: number) => {
  let recent = new Set<string>()
  let older = new Set<string>()

  return {
    /** Notes a key. True when it was noted before. */
    note: (key: string): boolean => {
      const isKnown = recent.has(key) || older.has(key)
      if (recent.size >= least) [recent, older] = [new Set(), recent]
      recent.add(key)
      return isKnown
    }
  }
}
