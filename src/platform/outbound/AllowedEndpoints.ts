import { Config, Option, Result } from "effect"
import { NetAddress } from "effect/net"
import { parsed } from "../settings/ParsedSetting.ts"
import { canonicalText } from "./PublicAddress.ts"

/** Writes an address and a port as one text, to compare an entry of the list with a destination. */
export const endpoint = (ip: string, port: number): string => (ip.includes(":") ? `[${ip}]:${port}` : `${ip}:${port}`)

const parseEndpoint = (text: string): Option.Option<string> => {
  const [, bracketed, plain, port] = /^\s*(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})\s*$/.exec(text) ?? []
  return Result.getSuccess(NetAddress.ipFromString((bracketed ?? plain ?? "").trim())).pipe(
    Option.filter(() => Number(port) >= 1 && Number(port) <= 65_535),
    Option.map((ip) => endpoint(canonicalText(ip), Number(port)))
  )
}

const parseList = (text: string): Option.Option<ReadonlySet<string>> => {
  const entries = text.split(",").filter((entry) => entry.trim() !== "")
  return Option.map(Option.all(entries.map(parseEndpoint)), (all) => new Set(all))
}

/** Reads a variable that lists allowed destinations, even private ones. Returns each in the form of `endpoint`. */
export const allowedEndpoints = (name: string): Config.Config<ReadonlySet<string>> =>
  parsed(name, "a comma list of ip:port, such as 127.0.0.1:8080,[::1]:80", parseList).pipe(
    Config.withDefault<ReadonlySet<string>>(new Set())
  )
