import type { Claim } from "./Claim.ts"

interface Bounds {
  readonly keys: number
  /** Characters of all answers as JSON. */
  readonly characters: number
}

interface Known {
  /** Undefined while the key has no answer. */
  readonly claim: Claim | undefined
  readonly characters: number
}

/**
 * Makes a memory of the keys that this process has seen lately, and of the answers that it stored for them. It holds
 * two generations. When the newer one is full, the older one is dropped. A dropped key costs only time.
 */
export const make = (most: Bounds) => {
  let recent = new Map<string, Known>()
  let older = new Map<string, Known>()
  let characters = 0

  const add = (key: string, known: Known) => {
    if (recent.size >= most.keys || characters >= most.characters) {
      older = recent
      recent = new Map()
      characters = 0
    }
    recent.set(key, known)
    characters += known.characters
  }

  return {
    /** Notes a key. True when it was noted before. */
    note: (key: string): boolean => {
      if (recent.has(key)) return true
      const known = older.get(key)
      add(key, known ?? { claim: undefined, characters: 0 })
      return known !== undefined
    },

    /** Keeps the claim of a key. Its answer has this number of characters as JSON. */
    keep: (key: string, claim: Claim, characters: number) => add(key, { claim, characters }),

    /** Finds the claim of a key, unless it has ended or is forgotten. */
    find: (key: string, now: Date): Claim | undefined => {
      const claim = (recent.get(key) ?? older.get(key))?.claim
      return claim !== undefined && claim.expires_at > now ? claim : undefined
    }
  }
}
