import type { LocalText } from "./LocalText.ts"

type Named = readonly [name: LocalText, value: LocalText]

/** The content of a document that pages show and files print, in the language of its reader. */
export interface Paper {
  readonly title: LocalText
  /** Sentences that the reader must know first. */
  readonly notes: ReadonlyArray<LocalText>
  readonly facts: ReadonlyArray<Named>
  /** The seller and the buyer, with a line for each part of the name and the address. */
  readonly parties: ReadonlyArray<readonly [title: LocalText, lines: ReadonlyArray<string>]>
  /** The heads of the columns. The first column has words, the others have numbers. */
  readonly heads: ReadonlyArray<LocalText>
  readonly rows: ReadonlyArray<ReadonlyArray<LocalText>>
  readonly totals: ReadonlyArray<Named>
  readonly foot: ReadonlyArray<LocalText>
}
