/** The error message of PostgreSQL with the name of the constraint, from any depth of the driver's error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? `${error.message} ${messageOf(error.cause)}` : JSON.stringify(error)
}
