/**
 * The fields that an event may show as they were before and are after an action. A new field of an action stands here first,
 * so that nothing gets into the log by accident.
 */
export const auditFields = [
  "allowed_ips",
  "amount",
  "cause",
  "currency",
  "destination",
  "email",
  "ends_at",
  "expires_at",
  "kind",
  "name",
  "permissions",
  "role",
  "state",
  "status",
  "second_factor",
  "token"
] as const
export type AuditField = (typeof auditFields)[number]

/** Fields whose value is a secret. An event shows only that there was one. */
export const secretFields: ReadonlyArray<AuditField> = ["token"]
