import { HttpApi, OpenApi } from "effect/http-api"
import * as OpenApiDocument from "./http/OpenApiDocument.ts"
import { RequestValidation } from "./http/RequestValidation.ts"
import { AbuseApi } from "./staff/abuse/AbuseApi.ts"
import { DestinationRulesApi } from "./staff/abuse/DestinationRulesApi.ts"
import { MeApi } from "./staff/access/MeApi.ts"
import { AuditApi } from "./staff/audit/AuditApi.ts"
import { AnnouncementsApi } from "./staff/announcements/AnnouncementsApi.ts"
import { CustomerCareApi } from "./staff/customers/CustomerCareApi.ts"
import { CustomerRecordsApi } from "./staff/customers/CustomerRecordsApi.ts"
import { CustomersApi } from "./staff/customers/CustomersApi.ts"
import { MembersApi } from "./staff/members/MembersApi.ts"
import { StaffTokensApi } from "./staff/members/StaffTokensApi.ts"
import { StaffDocumentsApi } from "./staff/documents/StaffDocumentsApi.ts"
import { TaxApi } from "./staff/documents/TaxApi.ts"
import { AdjustmentsApi } from "./staff/money/AdjustmentsApi.ts"
import { DisputesApi } from "./staff/money/DisputesApi.ts"
import { LimitsApi } from "./staff/money/LimitsApi.ts"
import { PayoutsApi } from "./staff/money/PayoutsApi.ts"
import { RefundsApi } from "./staff/money/RefundsApi.ts"
import { OrderWorkApi } from "./staff/orders/OrderWorkApi.ts"
import { StaffOrdersApi } from "./staff/orders/StaffOrdersApi.ts"
import { StaffPaymentsApi } from "./staff/payments/StaffPaymentsApi.ts"
import { PromoCodesApi } from "./staff/promo-codes/PromoCodesApi.ts"
import { ProvidersApi } from "./staff/providers/ProvidersApi.ts"
import { ReportsApi } from "./staff/reports/ReportsApi.ts"
import { ShopApi } from "./staff/shop/ShopApi.ts"
import { TodoApi } from "./staff/todo/TodoApi.ts"

/** The API of the back office, apart from the public `Api`: every operation names the permission that it needs. */
export class AdminApi extends HttpApi.make("proxy-rental-admin")
  .add(MeApi)
  .add(MembersApi)
  .add(StaffTokensApi)
  .add(AuditApi)
  .add(CustomersApi)
  .add(CustomerRecordsApi)
  .add(CustomerCareApi)
  .add(StaffOrdersApi)
  .add(OrderWorkApi)
  .add(StaffPaymentsApi)
  .add(AdjustmentsApi)
  .add(RefundsApi)
  .add(PayoutsApi)
  .add(DisputesApi)
  .add(StaffDocumentsApi)
  .add(TaxApi)
  .add(LimitsApi)
  .add(AbuseApi)
  .add(DestinationRulesApi)
  .add(ReportsApi)
  .add(TodoApi)
  .add(ProvidersApi)
  .add(PromoCodesApi)
  .add(AnnouncementsApi)
  .add(ShopApi)
  .middleware(RequestValidation)
  .prefix("/v1/admin")
  .annotateMerge(
    OpenApi.annotations({
      title: "Proxy Rental Service: back office",
      version: "1.0.0",
      license: { name: "MIT", identifier: "MIT" },
      description:
        "What the operator and the staff do. Send a token of a staff member in `Authorization: Bearer`. Credentials of customers do not work here, and pages of other origins may not call it. An operation that moves money or changes a state takes the header `Idempotency-Key`, a UUID, which becomes the id of the record. Lists have `?limit=` and `?after=`, and answer `{ items, next }`. A refusal for want of a right names it in `details`.",
      transform: OpenApiDocument.finishAdmin
    })
  ) {}
