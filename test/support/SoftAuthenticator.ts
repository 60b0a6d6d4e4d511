import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto"

type Cbor = number | string | Uint8Array | ReadonlyMap<number | string, Cbor>

const head = (major: number, length: number): Buffer => {
  if (length < 24) return Buffer.from([(major << 5) | length])
  if (length < 256) return Buffer.from([(major << 5) | 24, length])
  return Buffer.from([(major << 5) | 25, length >> 8, length & 255])
}

/** Encodes what authenticators send, in CBOR (RFC 8949). */
const cbor = (value: Cbor): Buffer => {
  if (typeof value === "number") return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === "string") return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value])
  return Buffer.concat([head(5, value.size), ...[...value].flatMap(([key, one]) => [cbor(key), cbor(one)])])
}

const sha256 = (bytes: string | Uint8Array) => createHash("sha256").update(bytes).digest()
const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64url")

/** The flags of authenticator data (Web Authentication, Level 3). */
export const flags = { present: 1, verified: 4, eligible: 8, backedUp: 16, attested: 64 } as const

/** What an attack changes of an answer. */
export interface Changes {
  readonly challenge?: string
  readonly origin?: string
  readonly rpId?: string
  readonly type?: string
  readonly flags?: number
  readonly count?: number
  readonly userHandle?: string
  /** Changes the bytes that are sent after the signature was made. */
  readonly spoil?: "signature" | "data"
  /** The statement of the maker in place of none. */
  readonly statement?: readonly [format: string, content: ReadonlyMap<string, Cbor>]
}

const dataOf = (rpId: string, bits: number, signCount: number) => {
  const counter = Buffer.alloc(4)
  counter.writeUInt32BE(signCount)
  return Buffer.concat([sha256(rpId), Buffer.from([bits]), counter])
}

const clientDataOf = (type: string, challenge: string, { origin, ...changes }: Changes) =>
  Buffer.from(
    JSON.stringify({
      type: changes.type ?? type,
      challenge: changes.challenge ?? challenge,
      origin: origin ?? "http://localhost:8080",
      crossOrigin: false
    })
  )

/** An authenticator with one passkey (ES256), which follows what a page asks or deviates from it. */
export const make = () => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const { x = "", y = "" } = publicKey.export({ format: "jwk" })
  const id = base64url(randomBytes(32))
  let count = 0
  let handle = ""

  /** Answers `navigator.credentials.create`. */
  const create = (
    options: {
      readonly challenge: string
      readonly rp: { readonly id: string }
      readonly user: { readonly id: string }
    },
    changes: Changes = {}
  ): string => {
    handle = options.user.id
    const bits = changes.flags ?? flags.present | flags.verified
    const key = new Map<number, Cbor>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x, "base64url")],
      [-3, Buffer.from(y, "base64url")]
    ])
    const authData = Buffer.concat([
      dataOf(changes.rpId ?? options.rp.id, bits | flags.attested, changes.count ?? count),
      Buffer.alloc(16),
      Buffer.from([0, 32]),
      Buffer.from(id, "base64url"),
      cbor(key)
    ])
    const [format, statement] = changes.statement ?? ["none", new Map<string, Cbor>()]
    const attestationObject = cbor(
      new Map<string, Cbor>([
        ["fmt", format],
        ["attStmt", statement],
        ["authData", authData]
      ])
    )
    return JSON.stringify({
      id,
      rawId: id,
      type: "public-key",
      authenticatorAttachment: "platform",
      clientExtensionResults: {},
      response: {
        clientDataJSON: base64url(clientDataOf("webauthn.create", options.challenge, changes)),
        attestationObject: base64url(attestationObject),
        transports: ["internal"]
      }
    })
  }

  /** Answers `navigator.credentials.get`. */
  const get = (options: { readonly challenge: string; readonly rpId: string }, changes: Changes = {}): string => {
    count = changes.count ?? count
    const bits = changes.flags ?? flags.present | flags.verified
    const data = dataOf(changes.rpId ?? options.rpId, bits, count)
    const client = clientDataOf("webauthn.get", options.challenge, changes)
    const signature = sign("sha256", Buffer.concat([data, sha256(client)]), privateKey)
    if (changes.spoil === "signature") signature.writeUInt8(signature.readUInt8(20) ^ 1, 20)
    if (changes.spoil === "data") data.writeUInt8(data.readUInt8(36) ^ 1, 36)
    return JSON.stringify({
      id,
      rawId: id,
      type: "public-key",
      clientExtensionResults: {},
      response: {
        clientDataJSON: base64url(client),
        authenticatorData: base64url(data),
        signature: base64url(signature),
        userHandle: changes.userHandle ?? handle
      }
    })
  }

  return { id, create, get }
}

export type SoftAuthenticator = ReturnType<typeof make>
