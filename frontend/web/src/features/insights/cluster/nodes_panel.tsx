// The nodes: filters that count, a grid or a table, and one node in detail.
import { useState } from "preact/hooks";
import type { ClusterNode } from "#proto/cluster_utilization";
import type { Job } from "#proto/jobs";
import { hrefOf } from "../../../routes/route";
import { Icon } from "../../../ui/icon";
import { Panel } from "../../../ui/panel";
import { cellLevel } from "./node_cells";
import { NodeDrawer } from "./node_drawer";
import {
  gpuTypesOf,
  type NodeFilter,
  nodesInScope,
  nodesInState,
  partitionsOf,
  queryOfNodes,
  stateCounts,
  viewOf,
} from "./node_filter";
import { NodeGrid } from "./node_grid";
import { conditionLabel } from "./node_labels";
import { NodeTable } from "./node_table";
import { messages as cluster } from "#messages/cluster";
import { messages } from "#messages/insights";

const kFirst = 50;

export function NodesPanel(props: {
  nodes: readonly ClusterNode[];
  filter: NodeFilter;
  own: readonly Job[]; // the user's jobs
  onChanged(): void;
}) {
  const { nodes, own, onChanged } = props;
  const [max, setMax] = useState(kFirst);
  // Not in the address with each key, but with the next choice.
  const [find, setFind] = useState(props.filter.find);
  const filter = { ...props.filter, find };
  const scope = nodesInScope(nodes, filter);
  const found = nodesInState(scope, filter);
  const view = viewOf(filter, nodes.length);
  const chosen = nodes.find(({ name }) => name === filter.node);
  const change = (next: Partial<NodeFilter>) => {
    location.hash = hrefOf("cluster", queryOfNodes({ ...filter, ...next }));
  };
  const open = (node: string) => change({ node });
  return (
    <Panel
      title={messages.nodesTitle({ count: nodes.length })}
      testId="nodes"
      actions={
        <div class="segments" role="group" aria-label={cluster.view}>
          <ViewButton
            label={cluster.grid}
            view="grid"
            chosen={view}
            onChoose={(next) => change({ view: next })}
          />
          <ViewButton
            label={cluster.table}
            view="table"
            chosen={view}
            onChoose={(next) => change({ view: next })}
          />
        </div>
      }
    >
      <NodeFilters
        nodes={nodes}
        scope={scope}
        filter={filter}
        onFind={setFind}
        onChange={(next) => {
          if (next.find !== undefined) setFind(next.find);
          change(next);
        }}
      />
      {found.length === 0 && (
        <p class="empty" data-testid="nodes-none">
          {cluster.noNodesMatch}
        </p>
      )}
      {found.length > 0 && view === "grid" && (
        <NodeGrid nodes={found} onOpen={open} />
      )}
      {found.length > 0 && view === "table" && (
        <>
          <NodeTable
            nodes={found.slice(0, max)}
            name={({ name }) => (
              <button
                class="link-button"
                type="button"
                data-testid={`open-${name}`}
                onClick={() => open(name)}
              >
                <strong>{name}</strong>
              </button>
            )}
          />
          {found.length > max && (
            <button
              class="button"
              type="button"
              onClick={() => setMax(max + 4 * kFirst)}
            >
              {messages.moreOf({ count: found.length })}
            </button>
          )}
        </>
      )}
      {chosen && (
        <NodeDrawer
          node={chosen}
          own={own}
          onChanged={onChanged}
          close={() => change({ node: "" })}
        />
      )}
    </Panel>
  );
}

function ViewButton(props: {
  label: string;
  view: "grid" | "table";
  chosen: string;
  onChoose(view: string): void;
}) {
  const { label, view, chosen, onChoose } = props;
  return (
    <button
      type="button"
      data-testid={`view-${view}`}
      aria-pressed={view === chosen}
      onClick={() => onChoose(view)}
    >
      {label}
    </button>
  );
}

// The buttons of the states are the legend of the grid as well.
function NodeFilters(props: {
  nodes: readonly ClusterNode[];
  scope: readonly ClusterNode[];
  filter: NodeFilter;
  onFind(find: string): void;
  onChange(next: Partial<NodeFilter>): void;
}) {
  const { nodes, scope, filter, onFind, onChange } = props;
  const partitions = partitionsOf(nodes);
  const types = gpuTypesOf(nodes);
  return (
    <div class="node-filters" role="group" aria-label={messages.filter}>
      <div class="search">
        <Icon name="search" />
        <input
          type="search"
          aria-label={messages.searchNodes}
          data-testid="node-search"
          placeholder={messages.namePartitionGpuType}
          value={filter.find}
          onInput={(event) => onFind(event.currentTarget.value)}
        />
      </div>
      {partitions.length > 1 && (
        <FilterSelect
          label={messages.partition}
          any={cluster.anyPartition}
          values={partitions}
          value={filter.partition}
          testId="node-partition"
          onChange={(partition) => onChange({ partition })}
        />
      )}
      {types.length > 1 && (
        <FilterSelect
          label={messages.gpuType}
          any={messages.anyGpuType}
          values={types}
          value={filter.gpu}
          testId="node-gpu"
          onChange={(gpu) => onChange({ gpu })}
        />
      )}
      <div class="node-states">
        {stateCounts(scope).map(({ state, node, count }) => {
          const { label, tone } = conditionLabel(node);
          const isChosen = state === filter.state;
          return (
            <button
              key={state}
              class="chip-button"
              type="button"
              data-testid={`state-${state}`}
              aria-pressed={isChosen}
              onClick={() => onChange({ state: isChosen ? "" : state })}
            >
              <span
                class="node-swatch"
                data-tone={tone}
                data-level={cellLevel(node)}
                aria-hidden="true"
              />
              {cluster.stateCount({ state: label, count })}
            </button>
          );
        })}
        {(filter.state || filter.partition || filter.gpu || filter.find) && (
          <button
            class="link-button"
            type="button"
            data-testid="node-clear"
            onClick={() =>
              onChange({ state: "", partition: "", gpu: "", find: "" })
            }
          >
            {messages.clearFilters}
          </button>
        )}
      </div>
    </div>
  );
}

function FilterSelect(props: {
  label: string;
  any: string;
  values: readonly string[];
  value: string;
  testId: string;
  onChange(value: string): void;
}) {
  const { label, any, values, value, testId, onChange } = props;
  return (
    <select
      aria-label={label}
      data-testid={testId}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    >
      <option value="">{any}</option>
      {values.map((each) => (
        <option key={each} value={each}>
          {each}
        </option>
      ))}
    </select>
  );
}
