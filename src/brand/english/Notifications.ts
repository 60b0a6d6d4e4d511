/** The page of the notifications. */
export const notifications = {
  "notifications.filter": "Which notifications",
  "notifications.all": "All",
  "notifications.unread": "Unread",
  "notifications.new": "New",
  "notifications.none": "There is nothing here. We tell you on this page about your proxies and your money.",
  "notifications.to_proxy": "See the proxy",
  "notifications.to_payment": "See the payment",
  "notifications.to_endpoint": "See the endpoint",
  "notifications.read_button": "Mark as read",
  "notifications.read_label": "Mark as read: {{message}}",
  "notifications.read_all_button": "Mark all as read",
  "notifications.marked": "The notification is marked as read.",
  "notifications.marked_all": "All notifications are marked as read.",

  "failure.NotificationNotFound": "This notification does not exist any more."
} as const
