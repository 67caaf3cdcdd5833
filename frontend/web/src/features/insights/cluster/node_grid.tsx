// Nodes as cells: the colour is the state, the height the share in use. One tab
// stop; the arrow keys move between the cells.
import { useRef, useState } from "preact/hooks";
import type { ClusterNode } from "#proto/cluster_utilization";
import { cellLabel, cellLevel, nextCell, amountOf } from "./node_cells";
import { conditionLabel } from "./node_labels";
import { messages } from "#messages/cluster";

// Up to this many cells show the name of their node.
const kMaxNamed = 60;

export function NodeGrid(props: {
  nodes: readonly ClusterNode[];
  onOpen(name: string): void;
}) {
  const { nodes, onOpen } = props;
  const grid = useRef<HTMLDivElement>(null);
  const [current, setCurrent] = useState(0);
  const at = Math.min(current, nodes.length - 1);
  const isNamed = nodes.length <= kMaxNamed;
  const onKeyDown = (event: KeyboardEvent) => {
    const cells = [...(grid.current?.children ?? [])] as HTMLElement[];
    const columns = cells.findIndex(
      ({ offsetTop }) => offsetTop !== cells[0]?.offsetTop,
    );
    const count = cells.length;
    const next = nextCell(event.key, at, count, columns < 1 ? count : columns);
    if (next === undefined) return;
    event.preventDefault();
    setCurrent(next);
    cells[next]?.focus();
  };
  return (
    <div
      ref={grid}
      class="node-grid"
      role="group"
      aria-label={messages.gridKeys}
      data-testid="node-grid"
      data-named={isNamed}
      onKeyDown={onKeyDown}
    >
      {nodes.map((node, index) => (
        <button
          key={node.name}
          class="node-cell"
          type="button"
          data-testid={`cell-${node.name}`}
          data-tone={conditionLabel(node).tone}
          data-level={cellLevel(node)}
          aria-label={cellLabel(node)}
          title={cellLabel(node)}
          tabIndex={index === at ? 0 : -1}
          onClick={() => {
            setCurrent(index);
            onOpen(node.name);
          }}
        >
          {isNamed && (
            <>
              <strong>{node.name}</strong> <span>{shortUse(node)}</span>
            </>
          )}
        </button>
      ))}
    </div>
  );
}

function shortUse(node: ClusterNode): string {
  const { used, total, isGpus } = amountOf(node);
  return isGpus
    ? messages.shortGpus({ used, total })
    : messages.shortCpus({ used, total });
}
