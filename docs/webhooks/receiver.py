import hashlib, hmac, json, os, sys, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

secret = os.environ.get("WEBHOOK_SECRET", "").encode()
secret or sys.exit("Set WEBHOOK_SECRET to the endpoint's signing_secret")

def is_genuine(headers, body):
    timestamp = headers.get("X-Service-Timestamp", "")
    signed = f"{timestamp}.{headers.get('X-Service-Delivery-Id')}.{hashlib.sha256(body).hexdigest()}"
    expected = "v1=" + hmac.new(secret, signed.encode(), hashlib.sha256).hexdigest()
    given = headers.get("X-Service-Signature", "")
    is_fresh = timestamp.isdecimal() and abs(time.time() - int(timestamp)) <= 300
    return is_fresh and hmac.compare_digest(given.encode(), expected.encode())

class Receiver(BaseHTTPRequestHandler):
    timeout = 10

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        genuine = is_genuine(self.headers, body)
        if genuine:
            event = json.loads(body)
            proxy = event["data"]["proxy"]
            print(event["id"], event["data"]["order_id"], proxy["previous_status"], "->", proxy["status"], flush=True)
        self.send_response(204 if genuine else 401)
        self.end_headers()

server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", 9000))), Receiver)
print("Port", server.server_port, flush=True)
server.serve_forever()
