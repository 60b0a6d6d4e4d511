import { constants } from "node:crypto"
import type { LookupAddress } from "node:dns"
import { isIP, isIPv4, isIPv6 } from "node:net"
import type { Duplex } from "node:stream"

const attemptsPerFamily = 2

/** Byte limit of one answer. Node's parser limits each head, but reads any number of interim responses. */
const mostBytes = 48 * 1024

/** Two seconds for each address: enough for a slow link, and four addresses fit into ten seconds. */
export const options = { autoSelectFamily: true, autoSelectFamilyAttemptTimeout: 2_000 }

export const secureOptions = {
  ...options,
  // Set here, so that NODE_TLS_REJECT_UNAUTHORIZED cannot turn it off.
  rejectUnauthorized: true,
  // A server could request TLS 1.2 handshakes without end, and Node does not count them as data.
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  maxCachedSessions: 0
}

/** Selects the addresses that a connection tries. */
export const dialled = (addresses: ReadonlyArray<string>): Array<LookupAddress> =>
  [isIPv4, isIPv6]
    .flatMap((is) => addresses.filter(is).slice(0, attemptsPerFamily))
    .map((address) => ({ address, family: isIP(address) }))

/** The number of bytes that a connection has sent. */
export interface Received {
  bytes: number
}

/** Ends a connection that sends more than a response needs, because it would keep the whole process busy. */
export const bound = (socket: Duplex): Received => {
  const received = { bytes: 0 }
  const count = (chunk: Uint8Array) => {
    received.bytes += chunk.length
    if (received.bytes > mostBytes)
      socket.destroy(Object.assign(new Error("Too many bytes"), { code: "ANSWER_TOO_LARGE" }))
  }
  // A server can send TLS session tickets without end, and Node does not count them as data.
  socket.on("data", count).on("session", count)
  return received
}
