import { Data } from "effect"

/** A fault in a brand folder. */
export interface BrandFault {
  /** The path below the folder. */
  readonly file: string
  /** From 1; absent when the file as a whole is at fault. */
  readonly line?: number
  readonly reason: string
}

/** Limit of the faults that one report lists. */
const mostFaults = 100

/** Returns the line of a place in a text, from 1. */
export const lineAt = (text: string, index: number): number => text.slice(0, index).split("\n").length

export const described = ({ file, line, reason }: BrandFault): string =>
  `${file}${line === undefined ? "" : `:${line}`}: ${reason}`

/** The folder of the brand has faults, so the service does not start. */
export class BrandInvalid extends Data.TaggedError("BrandInvalid")<{ readonly faults: ReadonlyArray<BrandFault> }> {
  override get message() {
    const more = this.faults.length - mostFaults
    const listed = this.faults.slice(0, mostFaults).map(described)
    return `BRAND_DIR: ${[...listed, ...(more > 0 ? [`${more} more faults`] : [])].join("; ")}`
  }
}
