import { randomUUID } from "node:crypto"
import { epoch, future, old, type Plant, recordedProxy, sold } from "./ReconcilePlants.ts"

const hold = (id: string) =>
  `INSERT INTO gateway_exit_hold (proxy_id, exit_ip, port, from_at, until_at)
   VALUES ('${id}', '198.51.100.7', 1, ${old}, ${epoch})`

/** Forged records of who held an exit address, each with the lines that `reconcile` prints. */
export const holdPlants: ReadonlyArray<Plant> = [
  [
    "an open proxy whose address is not on record",
    ({ order }) => [
      ...sold(order, "limit_bytes = NULL"),
      `DELETE FROM gateway_exit_hold WHERE proxy_id IN (SELECT id FROM gateway_proxy WHERE reference = '${order}')`
    ],
    () => ["orders\tdiffers\tgateway proxy \\S+\tis open on the machine's address; by the record it holds no address"]
  ],
  [
    "two proxies that held one address alone at the same time",
    ({ order }) => {
      const [one, other] = [randomUUID(), randomUUID()]
      return [
        ...recordedProxy(one, order, `'closed', ${future}, ${old}, ${epoch}`),
        ...recordedProxy(other, randomUUID(), `'closed', ${future}, ${old}, ${epoch}`),
        hold(one),
        hold(other)
      ]
    },
    () => ["orders\tdiffers\texit address 198.51.100.7\tproxies \\S+ and \\S+ held it alone, both from"]
  ]
]
