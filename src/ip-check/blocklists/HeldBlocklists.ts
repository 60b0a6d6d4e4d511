import { Config, Option } from "effect"
import { parsed } from "../../platform/settings/ParsedSetting.ts"
import type { Blocklist } from "./Blocklist.ts"
import { BlocklistRegistry } from "./BlocklistRegistry.ts"

const ids = BlocklistRegistry.map(({ id }) => id).join(", ")

const chosen = (text: string): Option.Option<ReadonlyArray<Blocklist>> => {
  const names = new Set(text.split(",").map((name) => name.trim()))
  if (names.size === 1 && names.has("none")) return Option.some([])
  const lists = BlocklistRegistry.filter(({ id }) => names.has(id))
  return lists.length === names.size ? Option.some(lists) : Option.none()
}

/** `BLOCKLISTS`: the lists that the service downloads and uses; all lists of the registry by default. */
export const HeldBlocklists: Config.Config<ReadonlyArray<Blocklist>> = parsed(
  "BLOCKLISTS",
  `none or a comma-separated list of ${ids}`,
  chosen
).pipe(Config.withDefault(BlocklistRegistry))
