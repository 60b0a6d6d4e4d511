/**
 * The fields that an event may show as they were before and are after an action. A new field of an action stands here first,
 * so that nothing gets into the log by accident.
 */
export const auditFields = [
  "action",
  "allowed_ips",
  "amount",
  "cause",
  "changes",
  "currency",
  "destination",
  "email",
  "ends_at",
  "exit_port",
  "expires_at",
  "kind",
  "first_port",
  "host_suffix",
  "last_port",
  "name",
  "network",
  "per_action",
  "per_customer_30d",
  "per_staff_day",
  "permissions",
  "preset",
  "public_reason",
  "reason_code",
  "reference",
  "role",
  "scope",
  "scope_id",
  "state",
  "status",
  "second_factor",
  "time",
  "token",
  "until_at",
  "verdict",
  "version"
] as const
export type AuditField = (typeof auditFields)[number]

/** Fields whose value is a secret. An event shows only that there was one. */
export const secretFields: ReadonlyArray<AuditField> = ["token"]
