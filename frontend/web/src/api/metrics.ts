// Clients of the metrics of jobs.
import { type Client, createClient } from "@connectrpc/connect";
import { MetricsService } from "#proto/metrics";
import { clusterNames } from "./clusters";
import { transport, transportTo } from "./transport";

const client = createClient(MetricsService, transport);

const byCluster = new Map<string, Client<typeof MetricsService>>(
  clusterNames.map((name) => [
    name,
    createClient(
      MetricsService,
      transportTo(() => name),
    ),
  ]),
);

// `cluster`: of the job; empty: there is one.
export function metricsClientOf(
  cluster: string,
): Client<typeof MetricsService> {
  return byCluster.get(cluster) ?? client;
}
