/**
 * Programs that verify a signature (docs/contract.md, "Webhooks"). Each reads the raw bytes of the body and the headers as
 * its language gives them.
 */
export const signatureExamples = {
  node: `import { createHash, createHmac, timingSafeEqual } from "node:crypto"

// headers: as in Node.js, with lower-case names. body: the raw bytes.
export function isGenuine(headers, body, secret) {
  const timestamp = headers["x-service-timestamp"] ?? ""
  const digest = createHash("sha256").update(body).digest("hex")
  const signed = [timestamp, headers["x-service-delivery-id"], digest].join(".")
  const expected = Buffer.from("v1=" + createHmac("sha256", secret).update(signed).digest("hex"))
  const isFresh = Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300
  const given = [headers["x-service-signature"], headers["x-service-signature-alternate"]]
  return isFresh && given.some((one = "") => {
    const signature = Buffer.from(one)
    return signature.length === expected.length && timingSafeEqual(signature, expected)
  })
}`,

  python: `import hashlib, hmac, re, time

# headers: a mapping that ignores case, as in most frameworks. body: the raw bytes.
def is_genuine(headers, body, secret):
    timestamp = headers.get("X-Service-Timestamp", "")
    digest = hashlib.sha256(body).hexdigest()
    signed = ".".join([timestamp, headers.get("X-Service-Delivery-Id", ""), digest])
    expected = "v1=" + hmac.new(secret.encode(), signed.encode(), hashlib.sha256).hexdigest()
    is_fresh = re.fullmatch("[0-9]{1,12}", timestamp) and abs(time.time() - int(timestamp)) <= 300
    given = [headers.get(name, "") for name in ("X-Service-Signature", "X-Service-Signature-Alternate")]
    return bool(is_fresh) and any(hmac.compare_digest(one.encode(), expected.encode()) for one in given)`,

  php: `<?php
// isGenuine($_SERVER, file_get_contents("php://input"), getenv("WEBHOOK_SECRET"))
function isGenuine(array $server, string $body, string $secret): bool
{
    $timestamp = $server["HTTP_X_SERVICE_TIMESTAMP"] ?? "";
    $delivery = $server["HTTP_X_SERVICE_DELIVERY_ID"] ?? "";
    $signed = $timestamp . "." . $delivery . "." . hash("sha256", $body);
    $expected = "v1=" . hash_hmac("sha256", $signed, $secret);
    $isFresh = preg_match('/^[0-9]{1,12}$/D', $timestamp) && abs(time() - (int) $timestamp) <= 300;
    $first = $server["HTTP_X_SERVICE_SIGNATURE"] ?? "";
    $second = $server["HTTP_X_SERVICE_SIGNATURE_ALTERNATE"] ?? "";
    return $isFresh && (hash_equals($expected, $first) || hash_equals($expected, $second));
}`
} as const
