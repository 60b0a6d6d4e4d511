import { Result } from "effect"
import { NetAddress } from "effect/net"
import { isIP } from "node:net"
import * as PublicAddress from "../platform/outbound/PublicAddress.ts"

const localName = /(^|\.)(localhost|local|internal|test|example|invalid|home\.arpa)\.?$/i

/** True when strangers may reach a host: a public IP address, or a name that is not reserved for local use. */
export const isPublicHost = (host: string) =>
  Result.match(NetAddress.ipFromString(host.replace(/^\[|\]$/g, "")), {
    onFailure: () => !localName.test(host),
    onSuccess: PublicAddress.isPublic
  })

/** True for an address of this machine itself. */
export const isLoopback = (host: string) => {
  const plain = host.replace(/^\[|\]$/g, "")
  return plain === "localhost" || plain === "::1" || (isIP(plain) === 4 && plain.startsWith("127."))
}

/** True when strangers may reach a web address: https at a public host. */
export const isPublicUrl = (address: string) => {
  const { hostname, protocol } = new URL(address)
  return protocol === "https:" && isPublicHost(hostname)
}
