import { createHash, createHmac, timingSafeEqual } from "node:crypto"
import { createServer } from "node:http"
import { buffer } from "node:stream/consumers"

const secret = process.env.WEBHOOK_SECRET
if (!secret?.startsWith("whsec_")) throw new Error("Set WEBHOOK_SECRET to the endpoint's signing_secret")

const isGenuine = (headers, body) => {
  const timestamp = headers["x-service-timestamp"]
  const digest = createHash("sha256").update(body).digest("hex")
  const signed = `${timestamp}.${headers["x-service-delivery-id"]}.${digest}`
  const expected = Buffer.from(`v1=${createHmac("sha256", secret).update(signed).digest("hex")}`)
  const isFresh = Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300
  // The second is there while a rotation leaves the old secret valid.
  const given = [headers["x-service-signature"], headers["x-service-signature-alternate"]]
  const matches = (signature) => signature.length === expected.length && timingSafeEqual(signature, expected)
  return isFresh && given.some((signature = "") => matches(Buffer.from(signature)))
}

const receive = async (request) => {
  const body = await buffer(request)
  if (!isGenuine(request.headers, body)) {
    console.error("Refused: the secret or the clock differs")
    return 401
  }
  const { id, data } = JSON.parse(body)
  console.log(id, data.order_id, data.proxy.previous_status, "->", data.proxy.status)
  return 204
}

const server = createServer(async (request, response) => {
  response.writeHead(await receive(request).catch(() => 500)).end()
})
server.listen(process.env.PORT ?? 9000, "127.0.0.1", () => console.log("Port", server.address().port))
