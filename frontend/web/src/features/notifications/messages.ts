// The texts of this feature's pages. Sentences with values are next to their
// code or in *_labels.ts.
export const messages = {
  address: "Address",
  allNotificationsAppearInThe:
    "All notifications appear in the portal. Choose what Carme also sends by email or webhook.",
  allNotificationsMarkedAsRead: "All notifications marked as read.",
  alwaysSentByEmail: "Always sent by email",
  carmeSendsTheSelectedEvents:
    "Carme sends the selected events as signed JSON to this public address.",
  changeAddress: "Change address",
  copy: "Copy",
  delivery: "Delivery",
  dismiss: "Dismiss",
  done: "Done",
  event: "Event",
  failedMessagesAreRetriedFor:
    "Failed messages are retried for about 24 hours. The recipient sees a final failure next to the notification.",
  fromTheSitesDirectory: "from the site's directory",
  lastSent: "last sent",
  loadOlder: "Load older",
  markAllAsRead: "Mark all as read",
  markAsRead: "Mark as read",
  noNotificationsMessagesAboutYour:
    "No notifications. Messages about your jobs, projects and account appear here.",
  notConfigured: "not configured",
  notSet: "Not set.",
  notices: "Notices",
  notifications: "Notifications",
  remove: "Remove",
  saveWebhook: "Save webhook",
  saving: "Saving…",
  sendTest: "Send test",
  sendTestToMe: "Send test to me",
  testEmailSentTheResult:
    "Test email sent. The result appears in your notifications.",
  thisSiteDoesNotSend: "This site does not send email or webhooks.",
  unread: "Unread:",
  webhook: "Webhook",
  webhookRemoved: "Webhook removed.",
  webhookSecret: "Webhook secret",
  youCannotSeeItAgain: "You cannot see it again.",
} as const;
