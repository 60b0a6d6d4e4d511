const words: Record<string, string> = {
  ECONNREFUSED: "Connection refused",
  ECONNRESET: "The connection was closed before an answer",
  EPIPE: "The connection was closed before an answer",
  ENOTFOUND: "The name does not resolve",
  EAI_AGAIN: "The service could not resolve the name",
  ETIMEDOUT: "The connection timed out",
  EHOSTUNREACH: "The host is unreachable",
  ENETUNREACH: "The network is unreachable",
  CERT_HAS_EXPIRED: "The certificate has expired",
  CERT_NOT_YET_VALID: "The certificate is not valid yet",
  ERR_TLS_CERT_ALTNAME_INVALID: "The certificate is for another name",
  DEPTH_ZERO_SELF_SIGNED_CERT: "The certificate is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "The certificate's issuer is not trusted",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "The certificate's issuer is not trusted",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "The certificate chain is incomplete",
  ANSWER_TOO_LARGE: "The answer is larger than 48 KiB",
  HPE_HEADER_OVERFLOW: "The headers of the answer are larger than 16 KiB"
}

const families: ReadonlyArray<readonly [RegExp, string]> = [
  [/^HPE_/, "The answer is not HTTP"],
  [/^(ERR_SSL_|EPROTO)/, "The TLS handshake failed"]
]

/** Codes of a connection that was never made. */
const unsent = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"])

/** True when the code of an error shows that nothing was sent. */
export const isUnsent = (code: string): boolean => unsent.has(code)

const codeOf = (cause: unknown): string | undefined =>
  cause instanceof Error && "code" in cause ? String(cause.code) : undefined

/** Codes of a connection that the other side closed. */
const closed = new Set(["ECONNRESET", "EPIPE", "ERR_STREAM_DESTROYED"])

/** True when the other side closed the connection. */
export const isClosed = (cause: unknown): boolean => closed.has(codeOf(cause) ?? "")

/** Explains in a few words why a connection of `node:http` or `node:https` failed. */
export const describe = (cause: unknown): string => {
  const code = codeOf(cause)
  if (code === undefined) return "The request failed"
  return words[code] ?? families.find(([family]) => family.test(code))?.[1] ?? `The request failed (${code})`
}
