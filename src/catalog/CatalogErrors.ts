import { ApiError } from "../platform/errors/ApiError.ts"

export class OfferNotFound extends ApiError<OfferNotFound>()("OfferNotFound", {
  status: 404,
  detail: "There is no such offer; the catalog lists the offers that can be ordered"
}) {}

export class LocationFilterDisabled extends ApiError<LocationFilterDisabled>()("LocationFilterDisabled", {
  status: 403,
  code: "FEATURE_DISABLED",
  detail: "The filters region and city are switched off (flag isp.city.enable)"
}) {}
