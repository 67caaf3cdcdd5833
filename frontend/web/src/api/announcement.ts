import { createClient } from "@connectrpc/connect";
import { AnnouncementService } from "#proto/announcement";
import { transport } from "./transport";

export const announcementClient = createClient(AnnouncementService, transport);
