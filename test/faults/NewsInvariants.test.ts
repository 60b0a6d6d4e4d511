import { assert, it } from "@effect/vitest"
import { type Arrived, compare, type LoggedMail } from "../../faults/NewsInvariants.ts"

const news = { id: "news", readers: ["ada"], isMade: true, isEnded: false }

const mail: LoggedMail = { announcement_id: "news", user_id: "ada", to_address: "ada@example.com", status: "delivered" }

interface World {
  readonly announcement?: typeof news
  readonly published?: ReadonlyArray<string>
  readonly mails?: ReadonlyArray<LoggedMail>
  readonly times?: number
  readonly isWhole?: boolean
}

/** The broken invariants of an announcement with one reader. */
const broken = ({ announcement = news, isWhole = true, mails = [mail], published = ["news"], times = 1 }: World) => {
  const arrived: Arrived = { isWhole, times: new Map(times === 0 ? [] : [["ada@example.com news", times]]) }
  return compare({ announcements: [announcement] }, published, mails, arrived).map((one) => one.replace(/:.*/, ""))
}

const [published, one, arrives] = [
  "an announcement is published once, as it was answered",
  "an announcement has one mail for each account",
  "a mail of an announcement arrives once"
]

it.each<[string, World, ReadonlyArray<string>]>([
  ["a mail that has arrived", {}, []],
  ["an announcement without an answer", { announcement: { ...news, isMade: false } }, []],
  ["an acknowledged announcement that is not there", { published: [] }, [published]],
  ["an announcement of nobody", { published: ["news", "else"] }, [published]],
  ["a reader without a mail", { mails: [], times: 0 }, [one]],
  [
    "a reader without a mail of an ended announcement",
    { announcement: { ...news, isEnded: true }, mails: [], times: 0 },
    []
  ],
  ["two mails in the log", { mails: [mail, mail] }, [one]],
  ["a mail that arrived twice", { times: 2 }, [arrives]],
  ["a mail that did not arrive", { times: 0 }, [arrives]],
  ["a mail whose file is no longer kept", { times: 0, isWhole: false }, []],
  ["a mail of which the service does not know", { mails: [{ ...mail, status: "unknown" }], times: 0 }, []],
  ["a mail that arrived, of which the service does not know", { mails: [{ ...mail, status: "unknown" }] }, []],
  ["a mail that arrived although it was not needed", { mails: [{ ...mail, status: "not_needed" }] }, [arrives]]
])("%s", (_, world, expected) => {
  assert.deepStrictEqual(broken(world), expected)
})
