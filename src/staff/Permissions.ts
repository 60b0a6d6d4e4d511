import { Schema } from "effect"
import type { Role } from "./Role.ts"

const everyone: ReadonlyArray<Role> = ["owner", "finance", "support", "viewer"]
const working: ReadonlyArray<Role> = ["owner", "finance", "support"]
const money: ReadonlyArray<Role> = ["owner", "finance"]
const care: ReadonlyArray<Role> = ["owner", "support"]
const owner: ReadonlyArray<Role> = ["owner"]

/**
 * Who may do what. A permission is `area.verb`; each operation of the admin API names one. A service may ask for a further
 * permission where one operation does things of different weight, such as a restriction.
 */
export const permissions = {
  "me.read": everyone,

  "todo.read": everyone,
  "todo.settle": working,

  "customer.read": everyone,
  /** Mail addresses and names in full. */
  "customer.identify": working,
  "customer.note": care,
  "customer.help": care,
  "customer.export": owner,
  "customer.erase": owner,

  "restriction.read": everyone,
  "restriction.hold": working,
  /** For at most 7 days. */
  "restriction.suspend": care,
  "restriction.ban": owner,
  "restriction.lift": working,

  "order.read": everyone,
  "order.work": care,

  "refund.read": everyone,
  /** To the wallet, up to the limit of the role. */
  "refund.create": working,
  /** To where the money came from. */
  "refund.return": money,
  "refund.approve": money,

  "adjustment.read": everyone,
  "adjustment.goodwill": working,
  "adjustment.correct": money,
  "adjustment.approve": money,

  "payment.read": everyone,
  "payment.body": working,
  "payment.look_up": working,

  "payout.read": everyone,
  "payout.settle": money,
  "dispute.read": everyone,
  "dispute.settle": money,
  "debt.read": everyone,
  "debt.settle": money,

  "shop.read": everyone,
  "shop.price": money,
  "shop.change": owner,

  "provider.read": everyone,
  "provider.pause": care,
  "provider.change": owner,

  "gateway.read": ["owner", "support", "viewer"],
  "gateway.change": care,

  "abuse.read": care,
  "abuse.act": care,

  "promo_code.read": everyone,
  "promo_code.change": money,
  "announcement.read": everyone,
  "announcement.change": money,

  "document.read": working,
  "document.issue": money,
  "tax.change": money,
  "report.read": everyone,
  "report.export": money,

  "staff.read": owner,
  "staff.change": owner,
  "limit.read": money,
  "limit.change": owner,
  "audit.read": money,
  "doctor.read": working,
  "setting.change": owner
} as const satisfies Record<`${string}.${string}`, ReadonlyArray<Role>>

export type Permission = keyof typeof permissions

const names = Object.keys(permissions) as [Permission, ...Array<Permission>]

export const Permission = Schema.Literals(names).annotate({ examples: ["audit.read"] })

/** The permissions of a role. */
export const ofRole = (role: Role): ReadonlyArray<Permission> =>
  names.filter((name) => (permissions[name] as ReadonlyArray<Role>).includes(role))
