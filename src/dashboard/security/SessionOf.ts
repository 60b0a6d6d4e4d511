import type { Visit } from "../desk/Visit.ts"

/** The session of a visit, as the services of the second factor and of passkeys name it. */
export const sessionOf = ({ session_id, user }: Visit) => ({ session_id, user_id: user.id })
