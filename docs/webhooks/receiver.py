import hashlib, hmac, json, os, re, sys, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

secret = os.environ.get("WEBHOOK_SECRET", "").encode()
if not secret.startswith(b"whsec_"):
    sys.exit("Set WEBHOOK_SECRET to the endpoint's signing_secret")

def is_genuine(headers, body):
    timestamp = headers.get("X-Service-Timestamp", "")
    signed = f"{timestamp}.{headers.get('X-Service-Delivery-Id')}.{hashlib.sha256(body).hexdigest()}"
    expected = "v1=" + hmac.new(secret, signed.encode(), hashlib.sha256).hexdigest()
    is_fresh = re.fullmatch("[0-9]{1,12}", timestamp) and abs(time.time() - int(timestamp)) <= 300
    # The second is there while a rotation leaves the old secret valid.
    given = [headers.get(name, "") for name in ("X-Service-Signature", "X-Service-Signature-Alternate")]
    return is_fresh and any(hmac.compare_digest(one.encode(), expected.encode()) for one in given)

class Receiver(BaseHTTPRequestHandler):
    timeout = 10

    def do_POST(self):
        length = self.headers.get("Content-Length", "")
        if not re.fullmatch("[0-9]{1,4}", length):  # a delivery is below 4 KiB
            return self.send_error(400)
        body = self.rfile.read(int(length))
        if not is_genuine(self.headers, body):
            return self.send_error(401, "Refused: the secret or the clock differs")
        event = json.loads(body)
        proxy = event["data"]["proxy"]
        print(event["id"], event["data"]["order_id"], proxy["previous_status"], "->", proxy["status"], flush=True)
        self.send_response_only(204)
        self.end_headers()

server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", 9000))), Receiver)
print("Port", server.server_port, flush=True)
server.serve_forever()
