// The cluster: GPU availability, queue, nodes and utilization.
import { useEffect } from "preact/hooks";
import { clusterUtilizationClient } from "../../../api/history";
import { PageTitle } from "../../../routes/page_title";
import { useQuery } from "../../../session/use_query";
import { QueryView } from "../../../ui/loaded_view";
import { Moment } from "../../../ui/moment";
import { FreeGpusPanel } from "./free_gpus_panel";
import { NodesPanel } from "./nodes_panel";
import { QueuePanel } from "./queue_panel";
import { UtilizationPanel } from "./utilization_panel";
import { messages } from "../messages";

const kPeriodMs = 15_000;

export function ClusterPage() {
  const loaded = useQuery(() =>
    clusterUtilizationClient.getClusterUtilization({}),
  );
  const { reload } = loaded;
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) void reload();
    }, kPeriodMs);
    return () => clearInterval(timer);
  }, [reload]);
  return (
    <>
      <PageTitle text={messages.cluster} />
      <QueryView loaded={loaded}>
        {(use) => (
          <>
            {!use.reachable && (
              <p class="stale" role="status" data-testid="cluster-stale">
                {messages.slurmIsNotResponding.before}
                <Moment at={use.askedAt} absent={messages.anUnknownTime} />
                {messages.slurmIsNotResponding.after}
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
