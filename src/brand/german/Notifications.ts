import type { notifications as english } from "../english/Notifications.ts"

/** The page of the notifications. */
export const notifications: Readonly<Record<keyof typeof english, string>> = {
  "notifications.filter": "Welche Mitteilungen",
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
  "notifications.marked": "Die Mitteilung ist als gelesen markiert.",
  "notifications.marked_all": "Alle Mitteilungen sind als gelesen markiert.",

  "failure.NotificationNotFound": "Diese Mitteilung gibt es nicht mehr."
}
