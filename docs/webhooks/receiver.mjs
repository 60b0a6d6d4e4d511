import { createHash, createHmac, timingSafeEqual } from "node:crypto"
import { createServer } from "node:http"

const secret = process.env.WEBHOOK_SECRET
if (!secret) throw new Error("Set WEBHOOK_SECRET to the endpoint's signing_secret")

const isGenuine = (headers, body) => {
  const timestamp = headers["x-service-timestamp"]
  const digest = createHash("sha256").update(body).digest("hex")
  const signed = `${timestamp}.${headers["x-service-delivery-id"]}.${digest}`
  const expected = Buffer.from(`v1=${createHmac("sha256", secret).update(signed).digest("hex")}`)
  const given = Buffer.from(headers["x-service-signature"] ?? "")
  const isFresh = Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300
  return isFresh && given.length === expected.length && timingSafeEqual(given, expected)
}

const server = createServer((request, response) => {
  const chunks = []
  request.on("data", (chunk) => chunks.push(chunk))
  request.on("end", () => {
    const body = Buffer.concat(chunks)
    if (!isGenuine(request.headers, body)) return response.writeHead(401).end()
    const { id, data } = JSON.parse(body)
    console.log(id, data.order_id, data.proxy.previous_status, "->", data.proxy.status)
    response.writeHead(204).end()
  })
})
server.listen(process.env.PORT ?? 9000, "127.0.0.1", () => console.log("Port", server.address().port))
