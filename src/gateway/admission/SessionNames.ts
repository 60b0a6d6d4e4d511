import type { GatewayProxy } from "../GatewayProxy.ts"

/** A session that a client names: its connections leave from one address for this time. */
export interface Session {
  readonly name: string
  readonly minutes: number
}

const options = /^(.+)-session-([A-Za-z0-9]{1,32})(?:-ttl-(\d{1,5}))?$/

type Sessions = Pick<GatewayProxy, "logins" | "session_minutes" | "session_minutes_most">

/**
 * Splits a username such as `user-session-abc123-ttl-10` into the username of the login and the session. A username that a
 * login of the proxy has stays whole, and so does every username of a proxy without sessions.
 */
export const readUsername = (
  { logins, session_minutes, session_minutes_most }: Sessions,
  given: string
): { readonly username: string; readonly session?: Session } => {
  if (session_minutes === null || logins.some(({ username }) => username === given)) return { username: given }
  const [, username, name, minutes] = options.exec(given) ?? []
  if (username === undefined || name === undefined) return { username: given }
  const wanted = minutes === undefined ? session_minutes : Math.max(1, Number(minutes))
  return { username, session: { name, minutes: Math.min(wanted, session_minutes_most ?? session_minutes) } }
}
