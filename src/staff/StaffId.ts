import { Schema } from "effect"

export const StaffId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("StaffId"))
export type StaffId = typeof StaffId.Type
