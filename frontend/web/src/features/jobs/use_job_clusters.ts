// The apps and images for the cards of jobs: those of the selected cluster, and
// of each other cluster with an active job.
import { useCallback, useEffect, useState } from "preact/hooks";
import type { GetClusterResponse } from "#proto/cluster";
import type { Job } from "#proto/jobs";
import { clusterOf } from "../../api/clusters";
import { clientsOf } from "../../api/core";
import { failureOf } from "../../api/failure";
import { useClusterChoice } from "../../session/cluster_context";
import { useSession } from "../../session/session_context";
import { isLive } from "./job_list_state";

type ByName = Readonly<Record<string, GetClusterResponse>>;

// `cluster`: the selected one. The function returns undefined for a cluster that
// did not respond yet.
export function useJobClusters(
  jobs: readonly Job[],
  cluster: GetClusterResponse | undefined,
): (job: Job) => GetClusterResponse | undefined {
  const { selected } = useClusterChoice();
  const { endIfOver } = useSession();
  const [others, setOthers] = useState<ByName>({});
  const wanted = [...new Set(jobs.filter(isLive).map(clusterOf))]
    .filter((name) => name !== "" && name !== selected && !others[name])
    .join();

  useEffect(() => {
    const load = async (name: string) => {
      try {
        const loaded = await clientsOf(name).cluster.getCluster({});
        setOthers((old) => ({ ...old, [name]: loaded }));
      } catch (error) {
        // Its cards show ids instead of names.
        endIfOver(failureOf(error));
      }
    };
    for (const name of wanted.split(",").filter(Boolean)) void load(name);
  }, [wanted, endIfOver]);

  return useCallback(
    (job) => {
      const name = clusterOf(job);
      return name === "" || name === selected ? cluster : others[name];
    },
    [cluster, others, selected],
  );
}
