import { Array as Arr, Config, Option, Result } from "effect"
import { NetAddress } from "effect/net"
import { countryFault } from "../platform/fields/Country.ts"
import { allowedEndpoints } from "../platform/outbound/AllowedEndpoints.ts"
import * as Setting from "../platform/settings/IntegerSetting.ts"
import { parsed } from "../platform/settings/ParsedSetting.ts"
import { canonicalText } from "../platform/outbound/PublicAddress.ts"
import type { GatewayProxy } from "./GatewayProxy.ts"
import { knownPorts } from "./KnownPorts.ts"

/** An exit address, for proxies of its country. */
export interface ExitAddress {
  readonly country_code: string
  readonly ip_version: GatewayProxy["ip_version"]
  readonly ip: string
}

const address = (text: string) => Result.getSuccess(NetAddress.ipFromString(text.trim()))
const entries = (text: string, separator: string) => text.split(separator).filter((entry) => entry.trim() !== "")

/** The range of ports that proxies may have, without the ports in `except`. */
export interface PortRange {
  readonly first: number
  readonly last: number
  readonly except: ReadonlyArray<number>
}

const parsePorts = (text: string): Option.Option<PortRange> => {
  const [, first, last] = /^\s*(\d{1,5})(?:\s*-\s*(\d{1,5}))?\s*$/.exec(text) ?? []
  const range = { first: Number(first), last: Number(last ?? first), except: [] }
  return range.first >= 1 && range.first <= range.last && range.last <= 65535 ? Option.some(range) : Option.none()
}

const parseCountry = (text: string): Option.Option<ReadonlyArray<ExitAddress>> => {
  const [, country_code = "", list = ""] = /^\s*([A-Z]{2})\s*=(.+)$/.exec(text) ?? []
  const addresses = Option.all(entries(list, "|").map(address))
  return Option.map(
    Option.filter(addresses, Arr.isArrayNonEmpty),
    Arr.map((ip) => ({
      country_code,
      ip_version: NetAddress.familyOf(NetAddress.toCanonical(ip)),
      ip: canonicalText(ip)
    }))
  )
}

const parseExitAddresses = (text: string): Option.Option<ReadonlyArray<ExitAddress>> =>
  Option.all(entries(text, ";").map(parseCountry)).pipe(
    Option.map(Arr.flatten),
    Option.filter((all) => new Set(all.map(({ ip }) => ip)).size === all.length)
  )

const countryFaultIn = (exits: ReadonlyArray<ExitAddress>): string | undefined => {
  const faults = exits.flatMap(({ country_code }) => {
    const fault = countryFault(country_code)
    return fault === undefined ? [] : `names the country ${country_code}. ${fault}`
  })
  return faults[0]
}

/** The address that the ports listen on, when it differs from the host; `0.0.0.0` behind a port mapping. */
export const GatewayBind = Config.option(
  parsed("GATEWAY_BIND", "an IP address", (text) => Option.map(address(text), canonicalText))
)

/** The ports that proxies may have; by default 20000-29999 without ports that other software uses. */
export const GatewayPorts = parsed("GATEWAY_PORTS", "a range such as 20000-29999", parsePorts).pipe(
  Config.withDefault<PortRange>({ first: 20_000, last: 29_999, except: knownPorts })
)

/** The exit addresses of the first shop (docs/shop.md). Once the database has a shop, they are unused. */
export const GatewayExitAddresses = parsed(
  "GATEWAY_EXIT_IPS",
  "addresses by country, each once, such as US=198.51.100.7|198.51.100.8;DE=2001:db8::1",
  parseExitAddresses,
  countryFaultIn
).pipe(Config.withDefault<ReadonlyArray<ExitAddress>>([]))

/** The destinations that proxies may reach although they are private, or addresses of this machine. */
export const GatewayAllow = allowedEndpoints("GATEWAY_ALLOW")

/** The days for which connections from shared exit addresses stay on record (docs/abuse.md). 0: none is recorded. */
export const ConnectionLogDays = Setting.integer("CONNECTION_LOG_DAYS", 0, 90).pipe(Config.withDefault(30))
