/**
 * Builds the redirect to the client: appends the parameters, form-encoded, to the query of its URI, which stays unchanged
 * byte for byte (RFC 6749 section 4.1.2). Encodes a space as `%20`, because some clients read `+` as a plus sign.
 */
export const location = (redirect_uri: string, parameters: Readonly<Record<string, string | null>>): string => {
  const present = Object.entries(parameters).flatMap(([name, value]) => (value === null ? [] : [[name, value]]))
  const separator = redirect_uri.includes("?") ? (/[?&]$/.test(redirect_uri) ? "" : "&") : "?"
  return redirect_uri + separator + new URLSearchParams(present).toString().replaceAll("+", "%20")
}
