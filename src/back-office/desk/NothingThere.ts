import { Data } from "effect"

/** The address names nothing that exists. */
export class NothingThere extends Data.TaggedError("NothingThere") {
  readonly status = 404
  readonly detail = "There is nothing at this address"
}
