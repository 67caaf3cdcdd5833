// Client for limits and quotas.
import { createClient } from "@connectrpc/connect";
import { LimitService } from "#proto/limit";
import { transport } from "./transport";

export const limitClient = createClient(LimitService, transport);
