import { onTestFinished } from "@effect/vitest"
import { createSocket, type RemoteInfo, type Socket } from "node:dgram"
import { once } from "node:events"
import { createConnection, isIPv4, type Socket as TcpSocket } from "node:net"
import type { Login } from "./ProxyClient.ts"

/** A UDP socket on an address of loopback. It closes when the test ends. */
export const udpSocket = async (address = "127.0.0.1", port = 0) => {
  const socket = createSocket(isIPv4(address) ? "udp4" : "udp6")
  socket.bind({ address, port })
  await once(socket, "listening")
  let isOpen = true
  socket.once("close", () => (isOpen = false))
  onTestFinished(() => void (isOpen && socket.close()))
  return socket
}

/** A server that answers each datagram with its text and the address that it came from. */
export const udpEcho = async (address?: string) => {
  const socket = await udpSocket(address)
  const seen: Array<RemoteInfo> = []
  socket.on("message", (data, from) => {
    seen.push(from)
    socket.send(`${String(data)} from ${from.address}`, from.port, from.address)
  })
  return { port: socket.address().port, seen, socket }
}

const addressed = (host: string) => {
  if (isIPv4(host)) return [1, ...host.split(".").map(Number)]
  if (host.includes(":")) return [4, ...Array.from({ length: 15 }, () => 0), 1]
  return [3, host.length, ...Buffer.from(host)]
}

/** A datagram to a destination, with a SOCKS5 header (RFC 1928, section 7). Of IPv6 only `::1` is known. */
export const datagram = (host: string, port: number, text: string, fragment = 0) =>
  Buffer.concat([Buffer.from([0, 0, fragment, ...addressed(host), port >> 8, port & 255]), Buffer.from(text)])

const exchange = async (client: TcpSocket, bytes: ReadonlyArray<number>) => {
  client.write(Buffer.from(bytes))
  return ((await once(client, "data")) as [Buffer])[0]
}

/** Asks for an association. The client sends from `udp`, and collects the texts that arrive there. */
export const associateVia = async ({ login, port }: { readonly login: Login; readonly port: number }, udp?: Socket) => {
  const control = createConnection({ port, host: "127.0.0.1", noDelay: true }).on("error", () => {})
  onTestFinished(() => void control.destroy())
  const [user, pass] = [Buffer.from(login.username), Buffer.from(login.password)]
  await exchange(control, [5, 1, 2])
  await exchange(control, [1, user.length, ...user, pass.length, ...pass])
  const reply = await exchange(control, [5, 3, 0, 1, 0, 0, 0, 0, 0, 0])
  const relay = reply.readUInt16BE(8)
  const socket = udp ?? (await udpSocket())
  const texts: Array<string> = []
  socket.on("message", (message) => texts.push(message.toString("utf8", message[3] === 4 ? 22 : 10)))
  const send = (message: Buffer, from = socket) => void from.send(message, relay, "127.0.0.1")
  // It must read to learn of its end.
  const ended = new Promise<void>((settle) => control.resume().once("close", () => settle()))
  return { code: reply[1], control, ended, relay, send, socket, texts }
}
