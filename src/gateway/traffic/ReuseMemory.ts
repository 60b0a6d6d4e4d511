import { Socket } from "node:net"

/** A large read costs less for each byte than several small ones. */
const largeBytes = 64 * 1024
/** The memory of a connection that receives little. */
const smallBytes = 4 * 1024

/** The fields of a socket that has the option `onread`. Accepted sockets cannot have the option, so these are set instead. */
const fieldOf = (name: string) =>
  Object.getOwnPropertySymbols(new Socket()).find(({ description }) => description === name)
const [bufferField, callbackField, nextField] = [fieldOf("kBuffer"), fieldOf("kBufferCb"), fieldOf("kBufferGen")]

const handleOf = (
  socket: Socket & { readonly _handle?: { readonly useUserBuffer?: (memory: Buffer) => void } | null }
) => socket._handle ?? undefined

/**
 * Makes a socket read into the same memory again and again, and without `data` events. Otherwise Node takes new memory for
 * each chunk, and V8 collects the garbage of the whole heap for every 64 MB of it, which costs more than the traffic.
 *
 * The next read overwrites the bytes that `receive` gets, so `receive` pauses the socket while it needs them. Returns false,
 * and changes nothing, when the socket has ended or this version of Node has other fields.
 */
export const reuseMemory = (socket: Socket, receive: (chunk: Buffer) => void): boolean => {
  const handle = handleOf(socket)
  if (handle?.useUserBuffer === undefined) return false
  if (bufferField === undefined || callbackField === undefined || nextField === undefined) return false
  let memory = Buffer.allocUnsafeSlow(smallBytes)
  const callback = (bytes: number) => {
    const { length } = memory
    receive(memory.subarray(0, bytes))
    let next = length
    if (bytes === length) next = largeBytes
    else if (bytes <= smallBytes) next = smallBytes
    if (next !== length) memory = Buffer.allocUnsafeSlow(next)
    return true
  }
  Object.assign(socket, { [bufferField]: memory, [callbackField]: callback, [nextField]: () => memory })
  handle.useUserBuffer(memory)
  return true
}
