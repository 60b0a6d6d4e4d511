import { Effect, Option, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { randomUUID } from "node:crypto"
import { IpCheckId } from "../../ip-check/IpCheck.ts"
import { IpCheckGate } from "../../ip-check/IpCheckGate.ts"
import { IpCheckQuota } from "../../ip-check/IpCheckQuota.ts"
import { IpChecks } from "../../ip-check/IpChecks.ts"
import { IpSurvey } from "../../ip-check/IpSurvey.ts"
import type { Faults } from "../../pages/Field.ts"
import { text } from "../../pages/Html.ts"
import { redirect } from "../../pages/PageAnswer.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import { offsetOf } from "../../pages/Paging.ts"
import type { Submission } from "../../pages/Visitors.ts"
import { Nonce } from "../../pages/FormSchemas.ts"
import { PublicIp } from "../../platform/outbound/PublicAddress.ts"
import { idInPath } from "../desk/IdInPath.ts"
import { Pages } from "../desk/Pages.ts"
import type { Visit } from "../desk/Visit.ts"
import { checkPage, type IpCheckPage, ipCheckPage } from "./IpCheckPage.ts"

const onPage = 25

const Address = Schema.Trim.pipe(Schema.decodeTo(PublicIp))

const Question = Schema.Struct({
  ip: Address,
  what: Schema.Literals(["survey", "check"]),
  /** The price that the page showed, in micro-dollars. */
  promised: Schema.String.check(Schema.isPattern(/^\d{1,15}$/)),
  nonce: Nonce
})

const messages = {
  ip: text("ip_check.ip_wrong"),
  what: text("ip_check.what_wrong"),
  promised: text("form.not_confirmed"),
  nonce: text("form.not_confirmed")
} as const

const decodeAddress = Schema.decodeUnknownOption(Address)

/** The pages of the IP checks. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const checks = yield* IpChecks
    const gate = yield* IpCheckGate
    const pages = yield* Pages
    const quota = yield* IpCheckQuota
    const surveys = yield* IpSurvey
    const path = yield* pathOf("ip-check")

    const page = Effect.fnUntraced(function* (visit: Visit, more: Partial<IpCheckPage> = {}) {
      const { query, user } = visit
      const part = { limit: onPage, offset: offsetOf(query) }
      const made = yield* checks.list(user.id, part)
      if (made.checks.length === 0 && part.offset > 0) return redirect(path)
      return ipCheckPage(visit, {
        checks: made.checks,
        part: { ...part, total: made.total },
        quota: yield* quota.of(user.id),
        nonce: randomUUID(),
        hasBlocklists: more.reused !== undefined && surveys.hasBlocklists(more.reused.ip),
        ...more
      })
    })

    /** The address of a survey is in the query, so that people can go back to it. A survey changes nothing. */
    const show = Effect.fnUntraced(function* (visit: Visit) {
      const given = visit.query.get("ip")
      if (given === null || !visit.hasIpChecks) return yield* page(visit)
      const ip = Option.getOrUndefined(decodeAddress(given))
      if (ip === undefined) return yield* page(visit, { ip: given, faults: { ip: messages.ip } })
      return yield* page(visit, { ip, survey: yield* surveys.survey(visit.user.id, ip) })
    })

    const again = (visit: Visit, faults: Faults, typed: Submission) => page(visit, { ip: typed.field("ip"), faults })

    const ask = Effect.fnUntraced(function* (visit: Visit, { ip, nonce, promised, what }: typeof Question.Type) {
      if (what === "survey") return redirect(`${path}?${new URLSearchParams({ ip }).toString()}`)
      const { session_id, user } = visit
      const credential = { _tag: "session", session_id } as const
      yield* gate.check(user.id)
      const { answer } = yield* checks.checkFor({ user_id: user.id, credential }, ip, nonce, BigInt(promised))
      return answer.id === null ? yield* page(visit, { ip, reused: answer }) : redirect(`${path}/${answer.id}`)
    })

    const showOne = Effect.fnUntraced(function* (visit: Visit) {
      const check = yield* checks.get(visit.user.id, yield* idInPath("check_id", IpCheckId))
      return checkPage(visit, check, surveys.hasBlocklists(check.ip))
    })

    yield* router.add("GET", path, pages.show(show))
    yield* router.add("POST", path, pages.take({ fields: Question, messages, again, act: ask }))
    yield* router.add("GET", `${path}/:check_id`, pages.show(showOne))
  })
)
