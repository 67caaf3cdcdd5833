// The choice of a cluster; nothing with one cluster.
import { useClusterChoice } from "./cluster_context";

export function ClusterSelect({ id, label }: { id: string; label?: string }) {
  const { names, selected, select } = useClusterChoice();
  if (names.length === 0) return null;
  return (
    <select
      id={id}
      data-testid={id}
      class="cluster-select"
      aria-label={label}
      value={selected}
      onChange={(event) => select(event.currentTarget.value)}
    >
      {names.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  );
}
