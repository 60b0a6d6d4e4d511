import { Cause, Runtime, Schema } from "effect"
import { SqlError } from "effect/sql"

/** Stops a start or a command, with a reason that an operator can act on. */
export class DatabaseUnusable extends Schema.TaggedError<DatabaseUnusable>()("DatabaseUnusable", {
  reason: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {
  override get message() {
    return `The database cannot be used: ${this.reason}`
  }
}

/** Stops a command that finds no database. Only the service creates one. */
export class DatabaseAbsent extends Schema.TaggedError<DatabaseAbsent>()("DatabaseAbsent", {
  directory: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 2

  override get message() {
    return `The database cannot be used: there is none in ${this.directory}; start the service once, or set DATABASE_URL or DATA_DIR to the value that the service has`
  }
}

const codeOf = ({ reason: { cause } }: SqlError.SqlError) =>
  typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : ""

/** True for a temporary failure. SQLSTATE class 57P means that the server is starting, stopping or recovering. */
const isTemporary = (error: SqlError.SqlError) =>
  error.reason._tag === "ConnectionError" || codeOf(error).startsWith("57P")

/** True when the role lacks a permission (SQLSTATE 42501). */
export const isRefused = (error: unknown): error is SqlError.SqlError =>
  SqlError.isSqlError(error) && codeOf(error) === "42501"

/** True when the database is temporarily unavailable: starting, stopping or out of reach. */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof DatabaseUnusable ? isUnavailable(error.cause) : SqlError.isSqlError(error) && isTemporary(error)

/** Finds the error of an unavailable database among the failures and defects of a cause. */
export const unavailableIn = (cause: Cause.Cause<unknown>): Error | undefined =>
  cause.reasons
    .map((reason) =>
      Cause.isFailReason(reason) ? reason.error : Cause.isDieReason(reason) ? reason.defect : undefined
    )
    .find((error) => error instanceof Error && isUnavailable(error)) as Error | undefined

/**
 * Describes an error. The cause of a database's error may hold the address with its password; the description never
 * does.
 */
export const reasonOf = (error: Error): string => {
  if (error instanceof DatabaseUnusable) return error.reason
  if (!SqlError.isSqlError(error)) return error.message
  const { cause } = error.reason
  return cause instanceof Error && cause.message !== "" ? cause.message : error.message
}
