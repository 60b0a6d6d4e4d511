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

/** Stops a command that would have made a database instead of acting on a service's. */
export class DatabaseAbsent extends Schema.TaggedError<DatabaseAbsent>()("DatabaseAbsent", {
  directory: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 2

  override get message() {
    return `The database cannot be used: there is none in ${this.directory}; set DATABASE_URL, or DATA_DIR, as the service has it`
  }
}

const codeOf = ({ reason: { cause } }: SqlError.SqlError) =>
  typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : ""

/** SQLSTATE class 57P: the server is starting, stopping or recovering. */
const isPassing = (fault: SqlError.SqlError) =>
  fault.reason._tag === "ConnectionError" || codeOf(fault).startsWith("57P")

/** SQLSTATE 42501: the role may not do this. */
export const isRefused = (fault: unknown): fault is SqlError.SqlError =>
  SqlError.isSqlError(fault) && codeOf(fault) === "42501"

/** The database's fault, and a passing one: the server is starting, stopping or out of reach. */
export const isUnavailable = (fault: unknown): boolean =>
  fault instanceof DatabaseUnusable ? isUnavailable(fault.cause) : SqlError.isSqlError(fault) && isPassing(fault)

/** The passing fault of the database among the failures and defects of a cause. */
export const unavailableIn = (cause: Cause.Cause<unknown>): Error | undefined =>
  cause.reasons
    .map((reason) =>
      Cause.isFailReason(reason) ? reason.error : Cause.isDieReason(reason) ? reason.defect : undefined
    )
    .find((fault) => fault instanceof Error && isUnavailable(fault)) as Error | undefined

/** The fault in words. The cause of a database's fault may hold the address with its password; the words never do. */
export const reasonOf = (fault: Error): string => {
  if (fault instanceof DatabaseUnusable) return fault.reason
  if (!SqlError.isSqlError(fault)) return fault.message
  const { cause } = fault.reason
  return cause instanceof Error && cause.message !== "" ? cause.message : fault.message
}
