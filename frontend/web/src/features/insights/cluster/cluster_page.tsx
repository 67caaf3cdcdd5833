// The cluster: GPU availability, nodes, queue and utilization.
import { clusterUtilizationClient } from "../../../api/history";
import { filledMessage } from "../../../lib/language/filled_message";
import { PageTitle } from "../../../routes/page_title";
import { useQuery } from "../../../session/use_query";
import { useReload } from "../../../session/use_reload";
import { QueryView } from "../../../ui/loaded_view";
import { Moment } from "../../../ui/moment";
import type { JobsView } from "../../jobs/use_jobs";
import { FreeGpusPanel } from "./free_gpus_panel";
import { nodeFilterOf } from "./node_filter";
import { NodesPanel } from "./nodes_panel";
import { QueuePanel } from "./queue_panel";
import { UtilizationPanel } from "./utilization_panel";
import "./cluster.css";
import { messages } from "#messages/insights";

export function ClusterPage(props: { query: string; jobs: JobsView }) {
  const loaded = useQuery(() =>
    clusterUtilizationClient.getClusterUtilization({}),
  );
  useReload(loaded);
  const own = props.jobs.list.jobs;
  return (
    <>
      <PageTitle text={messages.cluster} />
      <QueryView loaded={loaded}>
        {(use) => (
          <>
            {!use.reachable && (
              <p class="stale" role="status" data-testid="cluster-stale">
                {filledMessage(messages.slurmIsNotResponding, {
                  moment: (
                    <Moment at={use.askedAt} absent={messages.anUnknownTime} />
                  ),
                })}
              </p>
            )}
            <FreeGpusPanel types={use.freeGpus} />
            <NodesPanel
              nodes={use.nodes}
              filter={nodeFilterOf(props.query)}
              own={own}
              onChanged={() => void loaded.reload()}
            />
            <QueuePanel queues={use.queues} places={use.places} own={own} />
            <UtilizationPanel />
          </>
        )}
      </QueryView>
    </>
  );
}
