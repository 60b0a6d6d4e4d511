import { Config, Schema } from "effect"

const most = 32

/** The number of workers to run; `auto` is one for each core. */
export const WorkerCount = Schema.Trim.check(
  Schema.makeFilter(
    (text) =>
      text === "auto" ||
      (/^\d{1,2}$/.test(text) && Number(text) >= 1 && Number(text) <= most) ||
      `Expected auto or an integer between 1 and ${most}`
  )
).pipe(Schema.decodeTo(Schema.Union([Schema.Literal("auto"), Schema.NumberFromString])))
export type WorkerCount = typeof WorkerCount.Type

/** `WORKERS`, the default of `serve --workers`. */
export const setting = Config.schema(WorkerCount, "WORKERS").pipe(Config.withDefault(1))
