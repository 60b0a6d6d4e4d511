import type { Claim } from "./Claim.ts"

/** An answered claim. Its answer is JSON text, so that nothing changes it and its size is known. */
export interface AnsweredClaim extends Omit<Claim, "answer"> {
  readonly answer: string
}

interface Bounds {
  readonly keys: number
  /** Characters of all answers. */
  readonly characters: number
}

/**
 * Makes a memory of the keys that this process has seen lately, and of the answers that it stored for them. When the
 * last keys reach one of the bounds, it forgets the keys before them. A forgotten key costs only time.
 */
export const make = (most: Bounds) => {
  let recent = new Map<string, AnsweredClaim | undefined>()
  let older = new Map<string, AnsweredClaim | undefined>()
  let characters = 0

  const add = (key: string, claim: AnsweredClaim | undefined) => {
    if (recent.size >= most.keys || characters >= most.characters) {
      older = recent
      recent = new Map()
      characters = 0
    }
    recent.set(key, claim)
    characters += claim?.answer.length ?? 0
  }

  return {
    /** Notes a key. True when it was noted before. */
    note: (key: string): boolean => {
      if (recent.has(key)) return true
      const isKnown = older.has(key)
      add(key, older.get(key))
      return isKnown
    },

    /** Keeps the claim of a key. */
    keep: (key: string, claim: AnsweredClaim) => add(key, claim),

    /** Finds the claim of a key, unless it has ended or is forgotten. */
    find: (key: string, now: Date): AnsweredClaim | undefined => {
      const claim = recent.get(key) ?? older.get(key)
      return claim !== undefined && claim.expires_at > now ? claim : undefined
    }
  }
}
