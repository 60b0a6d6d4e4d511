/**
 * Decides about a row that another transaction has locked. A statement for several customers skips it, so that they do
 * not wait for one of them. A statement for one customer waits.
 */
export type IfLocked = "skip" | "wait"

/** The end of a locking clause of SQL, `FOR NO KEY UPDATE ...`. */
export const lockedRows: Readonly<Record<IfLocked, string>> = { skip: "SKIP LOCKED", wait: "" }

/**
 * A condition of SQL that is always true. With "skip" it also sets the lock timeout of the statement: a wait of 100
 * milliseconds for another lock fails, with an ERROR in PostgreSQL's log. That is rare, because row locks are skipped.
 */
export const lockWaits: Readonly<Record<IfLocked, string>> = {
  skip: "set_config('lock_timeout', '100ms', true) IS NOT NULL",
  wait: "true"
}
