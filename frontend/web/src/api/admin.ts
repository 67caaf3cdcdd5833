// Clients of the administration pages, in the chunk of these pages.
import { createClient } from "@connectrpc/connect";
import { AdminService } from "#proto/admin";
import { AuditService } from "#proto/audit";
import { LogService } from "#proto/log";
import { NodeHistoryService } from "#proto/node_history";
import { UserPreviewService } from "#proto/user_preview";
import { transport } from "./transport";

export const adminClient = createClient(AdminService, transport);
export const auditClient = createClient(AuditService, transport);
export const logClient = createClient(LogService, transport);
export const nodeHistoryClient = createClient(NodeHistoryService, transport);
export const userPreviewClient = createClient(UserPreviewService, transport);
