import { assert, it } from "@effect/vitest"
import fs from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { permissions } from "../../src/staff/Permissions.ts"

/** Permissions that nothing asks for, each with the reason. */
const unused: Readonly<Record<string, string>> = {
  "customer.note": "there are no notes about customers",
  "customer.export": "a customer exports the account; staff has no operation for it",
  "customer.erase": "a customer deletes the account; staff has no operation for it",
  "payment.body": "no operation shows the body of a gateway's call",
  "debt.read": "there are no debts",
  "debt.settle": "there are no debts",
  "provider.change": "settings of providers are in the environment",
  "promo_code.read": "promo codes are commands",
  "promo_code.change": "promo codes are commands",
  "announcement.read": "there are no announcements",
  "announcement.change": "there are no announcements",
  "document.read": "documents are the customer's",
  "document.issue": "documents are the customer's",
  "tax.change": "there are no rules about taxes",
  "doctor.read": "the doctor is a command"
}

/** The sources of a folder, without the table of permissions. */
const sourcesOf = (folder: string): ReadonlyArray<string> => {
  const root = fileURLToPath(new URL(`../../src/${folder}`, import.meta.url))
  return fs
    .readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && name !== "Permissions.ts")
    .map((name) => fs.readFileSync(path.join(root, name), "utf8"))
}

it("An operation, a service or a command asks for every permission", () => {
  const sources = [...sourcesOf("staff"), ...sourcesOf("cli")]
  assert.isAbove(sources.length, 100)
  const missing = Object.keys(permissions).filter(
    (name) => unused[name] === undefined && !sources.some((source) => source.includes(`"${name}"`))
  )
  assert.deepStrictEqual(missing, [])
  assert.deepStrictEqual(
    Object.keys(unused).filter((name) => !Object.hasOwn(permissions, name)),
    []
  )
})
