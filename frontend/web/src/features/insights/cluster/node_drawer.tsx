// One node beside the list: its resources, its jobs, and for administrators
// what they can do with it.
import { useState } from "preact/hooks";
import type { ClusterNode } from "#proto/cluster_utilization";
import type { Job } from "#proto/jobs";
import { nodeHref } from "../../../routes/route";
import { mayChange } from "../../../session/roles";
import { useSession } from "../../../session/session_context";
import { Dialog } from "../../../ui/dialog";
import { useConfirmation } from "../../../ui/toasts";
import {
  type NodeAction,
  NodeActionDialog,
} from "../../admin/nodes/node_action_dialog";
import { isDrained } from "../../admin/nodes/node_selection";
import { NodeJobs } from "./node_jobs";
import { cpusLabel, memoryLabel, NodeState } from "./node_table";
import { messages as cluster } from "#messages/cluster";
import { messages } from "#messages/insights";

export function NodeDrawer(props: {
  node: ClusterNode;
  own: readonly Job[];
  onChanged(): void;
  close(): void;
}) {
  const { node, own, onChanged, close } = props;
  const { session } = useSession();
  const confirm = useConfirmation();
  const [action, setAction] = useState<NodeAction>();
  const act = (what: NodeAction["what"]) =>
    setAction({ what, names: [node.name] });
  return (
    <>
      <Dialog title={node.name} side close={close}>
        <div class="node-detail" data-testid="node-detail">
          <div>
            <NodeState node={node} />
          </div>
          <dl class="fact-grid node-facts">
            {node.gpus.map(({ type, used, total }) => (
              <div key={type}>
                <dt>{messages.gpusInUse}</dt>
                <dd>{messages.usedOfGpus({ used, total, type })}</dd>
              </div>
            ))}
            <div>
              <dt>{messages.cpusInUse}</dt>
              <dd>{cpusLabel(node)}</dd>
            </div>
            <div>
              <dt>{messages.memoryAllocated}</dt>
              <dd>{memoryLabel(node)}</dd>
            </div>
            <div>
              <dt>{messages.partitions}</dt>
              <dd>{node.partitions.join(", ")}</dd>
            </div>
            <div>
              <dt>{cluster.slurmState}</dt>
              <dd class="mono">{node.state}</dd>
            </div>
          </dl>
          <NodeJobs node={node.name} own={own} />
          <div class="dialog-actions">
            {mayChange(session) && (
              <>
                <a class="button" href={nodeHref(node.name)}>
                  {cluster.nodeHistory}
                </a>
                {isDrained(node) ? (
                  <button
                    class="button"
                    type="button"
                    data-testid="node-resume"
                    onClick={() => act("resume")}
                  >
                    {cluster.resumeNode}
                  </button>
                ) : (
                  <button
                    class="button"
                    type="button"
                    data-testid="node-drain"
                    onClick={() => act("drain")}
                  >
                    {cluster.drainNode}
                  </button>
                )}
              </>
            )}
          </div>
        </div>
      </Dialog>
      {action && (
        <NodeActionDialog
          action={action}
          onDone={(text) => {
            setAction(undefined);
            confirm(text);
            onChanged();
          }}
          close={() => setAction(undefined)}
        />
      )}
    </>
  );
}
