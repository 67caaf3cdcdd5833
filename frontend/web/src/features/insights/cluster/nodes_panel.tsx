import { useState } from "preact/hooks";
import type { ClusterNode } from "#proto/cluster_utilization";
import { formatMib } from "../../../lib/format/memory";
import { Icon } from "../../../ui/icon";
import { Moment } from "../../../ui/moment";
import { Panel } from "../../../ui/panel";
import { conditionLabel, nodesWith, summaryOf } from "./node_labels";
import { messages } from "../messages";

const kFirst = 50;

export function NodesPanel({ nodes }: { nodes: readonly ClusterNode[] }) {
  const [text, setText] = useState("");
  const [max, setMax] = useState(kFirst);
  const found = nodesWith(nodes, text);
  return (
    <Panel
      title={messages.nodesTitle(nodes.length)}
      about={summaryOf(nodes)}
      testId="nodes"
    >
      {nodes.length > 8 && (
        <div class="search">
          <Icon name="search" />
          <input
            type="search"
            aria-label={messages.searchNodes}
            data-testid="node-search"
            placeholder={messages.namePartitionGpuType}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </div>
      )}
      <div class="table-box">
        <table class="table">
          <thead>
            <tr>
              <th scope="col">{messages.node}</th>
              <th scope="col">{messages.state}</th>
              <th scope="col">{messages.gpusInUse}</th>
              <th scope="col">{messages.cpusInUse}</th>
              <th scope="col">{messages.memoryAllocated}</th>
              <th scope="col">{messages.partitions}</th>
            </tr>
          </thead>
          <tbody>
            {found.slice(0, max).map((node) => (
              <NodeRow key={node.name} node={node} />
            ))}
          </tbody>
        </table>
      </div>
      {found.length > max && (
        <button
          class="button"
          type="button"
          onClick={() => setMax(max + 4 * kFirst)}
        >
          {messages.moreOf(found.length)}
        </button>
      )}
    </Panel>
  );
}

function NodeRow({ node }: { node: ClusterNode }) {
  const { label, tone } = conditionLabel(node);
  return (
    <tr data-testid={`node-${node.name}`} data-state={node.state}>
      <td>
        <strong>{node.name}</strong>
        {!node.forJobs && (
          <span class="muted small cell-more">
            {messages.notAvailableForCarmeJobs}
          </span>
        )}
      </td>
      <td class="history-end">
        <span class="state" data-tone={tone} title={node.state}>
          {label}
        </span>
        {node.conditionText !== `is ${label.toLowerCase()}` && (
          <span class="muted small cell-more">{node.conditionText}</span>
        )}
        {node.reason && (
          <span class="muted small cell-more">
            <Reason node={node} />
          </span>
        )}
      </td>
      <td>
        {node.gpus.length === 0 && <span class="muted">{messages.none}</span>}
        {node.gpus.map(({ type, used, total }) => (
          <span key={type} class="cell-more nowrap">
            {messages.usedOfGpus(used, total, type)}
          </span>
        ))}
      </td>
      <td class="nowrap">{messages.usedOf(node.cpusUsed, node.cpus)}</td>
      <td class="nowrap">
        {messages.usedOf(
          formatMib(Number(node.memoryUsedMib)),
          formatMib(Number(node.memoryMib)),
        )}
      </td>
      <td>{node.partitions.join(", ")}</td>
    </tr>
  );
}

function Reason({ node: { reason, reasonSince } }: { node: ClusterNode }) {
  if (!reasonSince) return <>{messages.quoted(reason)}</>;
  const { before, after } = messages.quotedSince(reason);
  return (
    <>
      {before}
      <Moment at={reasonSince} />
      {after}
    </>
  );
}
