import { createHash } from "node:crypto"

/** Makes the UUID of version 5 (RFC 9562, section 5.5) of a name: always the same one in a namespace, which is a UUID. */
export const make = (namespace: string, name: string): string => {
  const space = Buffer.from(namespace.replaceAll("-", ""), "hex")
  const bytes = createHash("sha1").update(space).update(name).digest().subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString("hex").replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, "$1-$2-$3-$4-$5")
}
