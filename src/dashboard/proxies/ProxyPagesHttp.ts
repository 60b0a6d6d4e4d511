import { Layer } from "effect"
import * as AccessHttp from "./AccessHttp.ts"
import * as CancelHttp from "./CancelHttp.ts"
import * as DestinationsHttp from "./DestinationsHttp.ts"
import * as ExtendHttp from "./ExtendHttp.ts"
import * as HealthHttp from "./HealthHttp.ts"
import * as LabelsHttp from "./LabelsHttp.ts"
import * as MobileHttp from "./MobileHttp.ts"
import * as ProxyHttp from "./ProxyHttp.ts"
import * as ReleaseHttp from "./ReleaseHttp.ts"
import * as TestHttp from "./TestHttp.ts"
import * as TrafficHttp from "./TrafficHttp.ts"

/** The page of a proxy, and the pages below it. */
export const layer = Layer.mergeAll(
  AccessHttp.layer,
  CancelHttp.layer,
  DestinationsHttp.layer,
  ExtendHttp.layer,
  HealthHttp.layer,
  LabelsHttp.layer,
  MobileHttp.layer,
  ProxyHttp.layer,
  ReleaseHttp.layer,
  TestHttp.layer,
  TrafficHttp.layer
)
