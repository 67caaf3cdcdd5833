// The cluster: GPU availability, queue, nodes and utilization.
import { useEffect } from "preact/hooks";
import { clusterUseClient } from "../../../api/history";
import { PageTitle } from "../../../routes/page_title";
import { useQuery } from "../../../session/use_query";
import { QueryView } from "../../../ui/loaded_view";
import { Moment } from "../../../ui/moment";
import { FreeGpusPanel } from "./free_gpus_panel";
import { NodesPanel } from "./nodes_panel";
import { QueuePanel } from "./queue_panel";
import { UtilizationPanel } from "./utilization_panel";

const kPeriodMs = 15_000;

export function ClusterPage() {
  const loaded = useQuery(() => clusterUseClient.getClusterUtilization({}));
  const { reload } = loaded;
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) void reload();
    }, kPeriodMs);
    return () => clearInterval(timer);
  }, [reload]);
  return (
    <>
      <PageTitle text="Cluster" />
      <QueryView loaded={loaded}>
        {(use) => (
          <>
            {!use.reachable && (
              <p class="stale" role="status" data-testid="cluster-stale">
                Slurm is not responding. This page shows its state as of{" "}
                <Moment at={use.askedAt} absent="an unknown time" />.
              </p>
            )}
            <FreeGpusPanel types={use.freeGpus} />
            <UtilizationPanel />
            <QueuePanel queues={use.queues} places={use.places} />
            <NodesPanel nodes={use.nodes} />
          </>
        )}
      </QueryView>
    </>
  );
}
