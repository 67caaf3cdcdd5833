// Clients of the history and cluster pages.
import { createClient } from "@connectrpc/connect";
import { ClusterUtilizationService } from "#proto/cluster_utilization";
import { HistoryService } from "#proto/history";
import { transport } from "./transport";

export const historyClient = createClient(HistoryService, transport);
export const clusterUtilizationClient = createClient(
  ClusterUtilizationService,
  transport,
);
