import { Schema } from "effect"

/** The roles that move money. */
export const MoneyRole = Schema.Literals(["owner", "finance", "support"])
export type MoneyRole = typeof MoneyRole.Type

/** The person or command that moves money: the id names one person, the name is for readers. */
export interface MoneyActor {
  readonly id: string
  readonly name: string
  readonly role: MoneyRole
}

/** True when a person of this role may decide about the requests of others. */
export const mayDecide = ({ role }: MoneyActor) => role !== "support"
