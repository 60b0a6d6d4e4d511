const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"

/** Encodes bytes in base32 (RFC 4648, section 6). Their number must be a multiple of five, so that no padding arises. */
export const encode = (bytes: Uint8Array): string =>
  [...bytes]
    .map((byte) => byte.toString(2).padStart(8, "0"))
    .join("")
    .replace(/.{5}/g, (bits) => alphabet.charAt(Number.parseInt(bits, 2)))

/** Decodes what `encode` wrote. */
export const decode = (text: string): Uint8Array => {
  const bits = [...text].map((character) => alphabet.indexOf(character).toString(2).padStart(5, "0")).join("")
  return Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2))
}
