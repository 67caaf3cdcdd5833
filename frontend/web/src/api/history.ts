// The clients of the history's pages.
import { createClient } from "@connectrpc/connect";
import { ClusterUseService } from "#proto/cluster_use";
import { HistoryService } from "#proto/history";
import { transport } from "./transport";

export const historyClient = createClient(HistoryService, transport);
export const clusterUseClient = createClient(ClusterUseService, transport);
