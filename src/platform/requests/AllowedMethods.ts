import { Context } from "effect"

/** The methods that the path of a request takes, for the route that answers any other method. */
export const AllowedMethods = Context.Reference<ReadonlyArray<string>>("app/platform/AllowedMethods", {
  defaultValue: () => []
})
