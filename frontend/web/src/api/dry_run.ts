// Client for checks of limits and templates before they are saved.
import { createClient } from "@connectrpc/connect";
import { DryRunService } from "#proto/dry_run";
import { transport } from "./transport";

export const dryRunClient = createClient(DryRunService, transport);
