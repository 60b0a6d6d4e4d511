import { Config, Option } from "effect"
import * as AllowedAddress from "../../accounts/AllowedAddress.ts"
import { parsed } from "../../platform/settings/ParsedSetting.ts"

const parse = (text: string) => {
  const networks = text.split(",").map((part) => part.trim())
  return networks.every(AllowedAddress.isAllowedAddress) ? Option.some(networks) : Option.none()
}

/** `ADMIN_ALLOWED_IPS`: the addresses and networks that the back office answers; null means any. */
export const AdminAddresses = parsed(
  "ADMIN_ALLOWED_IPS",
  "a list of IP addresses and CIDR networks, separated by commas",
  parse
).pipe(
  Config.option,
  Config.map((networks): ReadonlyArray<string> | null => Option.getOrNull(networks))
)
