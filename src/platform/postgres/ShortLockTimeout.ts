/**
 * A condition of SQL that is always true. Its statement fails when it then waits longer than this for a lock, so that a
 * statement for several customers does not wait for one of them.
 */
export const shortLockTimeout = "set_config('lock_timeout', '100ms', true) IS NOT NULL"
