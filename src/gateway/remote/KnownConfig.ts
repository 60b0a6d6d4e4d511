import { Effect, Option, Schema } from "effect"
import * as path from "node:path"
import { DestinationRule } from "../DestinationRule.ts"
import { ServedProxy } from "../ServedProxy.ts"
import type { CentreClock } from "./CentreClock.ts"
import * as NodeDirectory from "./NodeDirectory.ts"
import type { Replica } from "./Replica.ts"

const Config = Schema.Struct({
  /** The centre's time, in milliseconds. */
  time: Schema.Finite,
  version: Schema.BigInt,
  rules: Schema.Struct({ version: Schema.String, rules: Schema.Array(DestinationRule) }),
  proxies: Schema.Array(ServedProxy)
})
const Json = Schema.fromJsonString(Schema.toCodecJson(Config))
const decode = Schema.decodeUnknownOption(Json)
const encode = Schema.encodeEffect(Json)

const fileOf = (directory: string) => path.join(directory, "config.json")

/** Reads what the last process served. A damaged file counts as none. */
export const read = (directory: string) =>
  Option.flatMap(Option.fromUndefinedOr(NodeDirectory.read(fileOf(directory))), decode)

/** Writes what this process serves, for a start without the centre. */
export const write = Effect.fnUntraced(function* (directory: string, replica: Replica, clock: CentreClock) {
  const { proxies, rules, version } = replica
  if (version === null) return
  const text = yield* encode({ time: clock.now, version, rules, proxies })
  yield* Effect.try(() => NodeDirectory.write(fileOf(directory), text))
})
