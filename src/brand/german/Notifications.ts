import type { notifications as english } from "../english/Notifications.ts"

/** The page of the notifications. */
export const notifications: Readonly<Record<keyof typeof english, string>> = {
  "notifications.filter": "Welche Nachrichten",
  "notifications.all": "Alle",
  "notifications.unread": "Ungelesen",
  "notifications.new": "Neu",
  "notifications.none":
    "Hier steht noch nichts. Auf dieser Seite informieren wir Sie über Ihre Proxys und Ihr Guthaben.",
  "notifications.to_proxy": "Zum Proxy",
  "notifications.to_payment": "Zur Zahlung",
  "notifications.to_endpoint": "Zum Endpunkt",
  "notifications.read_button": "Als gelesen markieren",
  "notifications.read_label": "Als gelesen markieren: {{message}}",
  "notifications.read_all_button": "Alle als gelesen markieren",
  "notifications.marked": "Die Nachricht ist als gelesen markiert.",
  "notifications.marked_all": "Alle Nachrichten sind als gelesen markiert."
}
