import { Config, Option } from "effect"
import { parsed } from "./ParsedSetting.ts"

/** `GATEWAY_HOST`: the address at which customers reach the proxies, of this machine or of one that forwards to it. */
export const GatewayHost = parsed("GATEWAY_HOST", "an IP address or a host name", (text) =>
  Option.liftPredicate(text.trim(), (host) => /^[\w.:-]{1,253}$/.test(host))
).pipe(Config.withDefault("127.0.0.1"))
