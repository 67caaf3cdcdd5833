// Clients of the services that every page needs, generated from the contract.
import { type Client, createClient } from "@connectrpc/connect";
import { AuthService } from "#proto/auth";
import { ClusterService } from "#proto/cluster";
import { JobLogService } from "#proto/job_log";
import { JobService } from "#proto/jobs";
import { StorageService } from "#proto/storage";
import { clusterNames } from "./clusters";
import { transport, transportTo } from "./transport";

export const authClient = createClient(AuthService, transport);
export const clusterClient = createClient(ClusterService, transport);
export const jobClient = createClient(JobService, transport);
const jobLogClient = createClient(JobLogService, transport);
export const storageClient = createClient(StorageService, transport);

interface ClusterClients {
  readonly jobs: Client<typeof JobService>;
  readonly jobLogs: Client<typeof JobLogService>;
  readonly cluster: Client<typeof ClusterService>;
}

const byCluster = new Map<string, ClusterClients>(
  clusterNames.map((name) => {
    const to = transportTo(() => name);
    return [
      name,
      {
        jobs: createClient(JobService, to),
        jobLogs: createClient(JobLogService, to),
        cluster: createClient(ClusterService, to),
      },
    ];
  }),
);

// The clients of one cluster, such as that of a job; of the only one if the
// portal has no others.
export function clientsOf(cluster: string): ClusterClients {
  return (
    byCluster.get(cluster) ?? {
      jobs: jobClient,
      jobLogs: jobLogClient,
      cluster: clusterClient,
    }
  );
}
