import { createClient } from "@connectrpc/connect";
import { MaintenanceService } from "#proto/maintenance";
import { transport } from "./transport";

export const maintenanceClient = createClient(MaintenanceService, transport);
