/**
 * The fields that an event may show as they were before and are after an action. A new field of an action stands here first,
 * so that nothing gets into the log by accident.
 */
export const auditFields = [
  "account_limit",
  "action",
  "allowed_ips",
  "amount",
  "cause",
  "country",
  "currency",
  "destination",
  "document",
  "email",
  "ends_at",
  "exit_port",
  "expires_at",
  "is_right",
  "kind",
  "first_port",
  "host_suffix",
  "last_port",
  "name",
  "network",
  "note",
  "permissions",
  "preset",
  "public_reason",
  "rate_bp",
  "reason_code",
  "reference",
  "role",
  "scope",
  "scope_id",
  "starts_at",
  "state",
  "status",
  "second_factor",
  "tax_number",
  "time",
  "title",
  "token",
  "until_at",
  "use_limit",
  "valid_from",
  "verdict"
] as const
export type AuditField = (typeof auditFields)[number]

/** Fields whose value is a secret. An event shows only that there was one. */
export const secretFields: ReadonlyArray<AuditField> = ["token"]
