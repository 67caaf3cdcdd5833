// Nodes as a table. With a selection, each row has a checkbox.
import type { ComponentChildren } from "preact";
import type { ClusterNode } from "#proto/cluster_utilization";
import { formatMib } from "../../../lib/format/memory";
import { formatNumber } from "../../../lib/format/number";
import { filledMessage } from "../../../lib/language/filled_message";
import { Moment } from "../../../ui/moment";
import { TableBox } from "../../../ui/table_box";
import { conditionAbout, conditionLabel } from "./node_labels";
import { messages as cluster } from "#messages/cluster";
import { messages } from "#messages/insights";

export interface NodeSelectionView {
  readonly selected: ReadonlySet<string>;
  toggle(name: string): void;
}

export function NodeTable(props: {
  nodes: readonly ClusterNode[];
  selection?: NodeSelectionView;
  name(node: ClusterNode): ComponentChildren;
}) {
  const { nodes, selection, name } = props;
  return (
    <TableBox label={messages.nodesTitle({ count: nodes.length })}>
      <table class="table">
        <thead>
          <tr>
            {selection && (
              <th scope="col">
                <span class="sr-only">{cluster.select}</span>
              </th>
            )}
            <th scope="col">{messages.node}</th>
            <th scope="col">{messages.state}</th>
            <th scope="col">{messages.gpusInUse}</th>
            <th scope="col">{messages.cpusInUse}</th>
            <th scope="col">{messages.memoryAllocated}</th>
            <th scope="col">{messages.partitions}</th>
          </tr>
        </thead>
        <tbody>
          {nodes.map((node) => (
            <tr
              key={node.name}
              data-testid={`node-${node.name}`}
              data-state={node.state}
            >
              {selection && (
                <td>
                  <input
                    type="checkbox"
                    aria-label={cluster.selectNode({ name: node.name })}
                    data-testid={`select-${node.name}`}
                    checked={selection.selected.has(node.name)}
                    onChange={() => selection.toggle(node.name)}
                  />
                </td>
              )}
              <td>
                {name(node)}
                {!node.forJobs && (
                  <span class="muted small cell-more">
                    {messages.notAvailableForCarmeJobs}
                  </span>
                )}
              </td>
              <td class="history-end">
                <NodeState node={node} />
              </td>
              <td>
                {node.gpus.length === 0 && (
                  <span class="muted">{messages.none}</span>
                )}
                {node.gpus.map(({ type, used, total }) => (
                  <span key={type} class="cell-more nowrap">
                    {messages.usedOfGpus({ used, total, type })}
                  </span>
                ))}
              </td>
              <td class="nowrap">{cpusLabel(node)}</td>
              <td class="nowrap">{memoryLabel(node)}</td>
              <td>{node.partitions.join(", ")}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableBox>
  );
}

// The state, what it means, and the reason that an administrator gave.
export function NodeState({ node }: { node: ClusterNode }) {
  const { label, tone } = conditionLabel(node);
  const { reason, reasonSince } = node;
  const about = conditionAbout(node);
  return (
    <>
      <span class="state" data-tone={tone} title={node.state}>
        {label}
      </span>
      {about && <span class="muted small cell-more">{about}</span>}
      {reason && (
        <span class="muted small cell-more">
          {reasonSince
            ? filledMessage(messages.quotedSince, {
                reason,
                moment: <Moment at={reasonSince} />,
              })
            : messages.quoted({ reason })}
        </span>
      )}
    </>
  );
}

export function cpusLabel({ cpusUsed, cpus }: ClusterNode): string {
  return messages.usedOf({
    used: formatNumber(cpusUsed),
    total: formatNumber(cpus),
  });
}

export function memoryLabel({ memoryUsedMib, memoryMib }: ClusterNode): string {
  return messages.usedOf({
    used: formatMib(Number(memoryUsedMib)),
    total: formatMib(Number(memoryMib)),
  });
}
