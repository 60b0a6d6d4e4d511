/**
 * The redirect to the client: its URI byte for byte, with what it had in its query, and these parameters after it as a form
 * (RFC 6749 section 4.1.2). A space is written `%20`, which those read too that take `+` for a plus sign.
 */
export const location = (redirect_uri: string, parameters: Readonly<Record<string, string | null>>): string => {
  const present = Object.entries(parameters).flatMap(([name, value]) => (value === null ? [] : [[name, value]]))
  const separator = redirect_uri.includes("?") ? (/[?&]$/.test(redirect_uri) ? "" : "&") : "?"
  return redirect_uri + separator + new URLSearchParams(present).toString().replaceAll("+", "%20")
}
