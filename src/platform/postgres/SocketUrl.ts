interface Server {
  readonly database?: string | undefined
  readonly host?: string | undefined
  readonly port?: number | undefined
}

/** Writes the `DATABASE_URL` of a role at a server that listens on a socket. */
export const socketUrl = ({ database = "", host = "", port }: Server, user: string, password: string) =>
  `postgres:///${database}?${new URLSearchParams({ user, password, host, port: String(port ?? "") })}`
