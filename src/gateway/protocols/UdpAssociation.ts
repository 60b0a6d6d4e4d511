import { createSocket, type RemoteInfo } from "node:dgram"
import { once } from "node:events"
import { isIPv6, type Socket } from "node:net"
import { isPublicText } from "../../platform/outbound/PublicAddress.ts"
import { sourceAddress } from "../admission/ProxyAccess.ts"
import { Refusal } from "../admission/Refusal.ts"
import type { ProxyPort } from "../ports/ProxyPort.ts"
import { readDatagram, writeDatagram } from "./SocksDatagram.ts"

/** The bytes that may wait in the socket of the system. Further datagrams are lost. */
const mostQueuedBytes = 512 * 1024

/** Binds a socket to the address that the client has connected to. */
const relayFor = async (client: Socket) => {
  const address = sourceAddress(client.localAddress)
  const relay = createSocket({ type: isIPv6(address) ? "udp6" : "udp4" })
  try {
    const listening = once(relay, "listening")
    relay.bind({ address, port: 0, exclusive: true })
    await listening
  } catch {
    relay.close()
    throw Refusal.exit
  }
  return { relay: relay.on("error", () => {}), address }
}

/** Behind a translation of addresses, the client uses the address of its connection. */
const told = (address: string) => {
  if (isPublicText(address)) return address
  return isIPv6(address) ? "::" : "0.0.0.0"
}

/**
 * Opens an association for datagrams that lasts as long as the client's connection (RFC 1928, section 7). Takes datagrams only
 * from the client's address, and after the first one only from its port. Returns where the client sends them. Fails with a
 * `Refusal`.
 */
export const associate = async (client: Socket, port: ProxyPort, username: string | undefined) => {
  const source = sourceAddress(client.remoteAddress)
  const { address, relay } = await relayFor(client)
  const bound = { address: told(address), port: relay.address().port }
  let peer: RemoteInfo | undefined
  try {
    const exit = port.associate(
      client,
      {
        receive: (host, from, data) => {
          if (peer === undefined || relay.getSendQueueSize() > mostQueuedBytes) return
          relay.send(writeDatagram({ host, port: from, data }), peer.port, peer.address, () => {})
        },
        ended: () => {
          relay.close()
          client.destroy()
        }
      },
      username
    )
    relay.on("message", (message, from) => {
      if (sourceAddress(from.address) !== source || (peer !== undefined && peer.port !== from.port)) return
      const datagram = readDatagram(message)
      if (datagram === undefined) return
      peer ??= from
      exit.send(datagram.host, datagram.port, datagram.data)
    })
    client.once("close", () => exit.close())
    if (client.destroyed) exit.close()
  } catch (error) {
    relay.close()
    throw error
  }
  return bound
}
