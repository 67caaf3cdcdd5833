// Client for notifications.
import { createClient } from "@connectrpc/connect";
import { NotificationService } from "#proto/notification";
import { transport } from "./transport";

export const notificationClient = createClient(NotificationService, transport);
