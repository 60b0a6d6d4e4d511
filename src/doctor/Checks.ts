import * as BrandChecks from "./BrandChecks.ts"
import type { Check } from "./Check.ts"
import * as DatabaseChecks from "./DatabaseChecks.ts"
import * as GatewayChecks from "./GatewayChecks.ts"
import * as InvoiceChecks from "./InvoiceChecks.ts"
import * as IpVendorChecks from "./IpVendorChecks.ts"
import * as SettingChecks from "./SettingChecks.ts"
import * as ShopChecks from "./ShopChecks.ts"
import * as MailChecks from "./MailChecks.ts"
import * as MachineChecks from "./MachineChecks.ts"
import * as NetworkChecks from "./NetworkChecks.ts"
import * as PaymentChecks from "./PaymentChecks.ts"
import * as ProviderChecks from "./ProviderChecks.ts"
import * as SampleChecks from "./SampleChecks.ts"
import * as StaffChecks from "./StaffChecks.ts"
import * as StripeChecks from "./StripeChecks.ts"

/** Every check. docs/going-live.md lists them with their remedies. */
export const all: ReadonlyArray<Check> = [
  DatabaseChecks.usable,
  ...GatewayChecks.checks,
  ...ShopChecks.checks,
  ...ProviderChecks.checks,
  ...IpVendorChecks.checks,
  ...PaymentChecks.checks,
  ...StripeChecks.checks,
  ...InvoiceChecks.checks,
  ...MailChecks.checks,
  ...StaffChecks.checks,
  ...BrandChecks.checks,
  ...NetworkChecks.checks,
  ...SampleChecks.checks,
  ...SettingChecks.checks,
  ...DatabaseChecks.checks,
  ...MachineChecks.checks
]
