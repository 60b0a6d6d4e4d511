import { Context } from "effect"

/** Methods that the path of a request accepts, for the route that answers every other method. */
export const AllowedMethods = Context.Reference<ReadonlyArray<string>>("app/platform/AllowedMethods", {
  defaultValue: () => []
})
