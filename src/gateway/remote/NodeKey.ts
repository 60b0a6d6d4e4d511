import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto"
import * as path from "node:path"
import * as NodeDirectory from "./NodeDirectory.ts"

/** The bytes before the key in the DER form of an Ed25519 public key (RFC 8410). */
const prefixBytes = 12
const tokenSeconds = 60

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url")

/** The key of this host. It never leaves the host. */
export class NodeKey {
  readonly #key: KeyObject

  constructor(key: KeyObject) {
    this.#key = key
  }

  /** Reads the key of a state directory, and makes one when there is none. */
  static open(directory: string): NodeKey {
    const file = path.join(directory, "node.key")
    const known = NodeDirectory.read(file)
    if (known !== undefined) return new NodeKey(createPrivateKey(known))
    const { privateKey } = generateKeyPairSync("ed25519")
    NodeDirectory.write(file, privateKey.export({ type: "pkcs8", format: "pem" }).toString())
    return new NodeKey(privateKey)
  }

  /** The 32 bytes of the public key, in base64url. */
  get public(): string {
    const der = createPublicKey(this.#key).export({ type: "spki", format: "der" })
    return der.subarray(prefixBytes).toString("base64url")
  }

  /** Signs the token of one connection (RFC 7519), valid for a minute from `now`, in milliseconds of the centre's clock. */
  token({ audience, now, subject }: { readonly audience: string; readonly now: number; readonly subject: string }) {
    const iat = Math.floor(now / 1_000)
    const head = part({ alg: "EdDSA", typ: "JWT" })
    const claims = part({ sub: subject, aud: audience, iat, exp: iat + tokenSeconds })
    return `${head}.${claims}.${sign(null, Buffer.from(`${head}.${claims}`), this.#key).toString("base64url")}`
  }
}
