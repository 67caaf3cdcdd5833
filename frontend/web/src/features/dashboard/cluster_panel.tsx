// Free GPUs of the cluster by type.
import type { GetClusterResponse } from "#proto/cluster";
import { hrefOf } from "../../routes/route";
import type { ClusterView } from "./use_cluster";
import { GpuCard } from "./gpu_card";
import { messages } from "#messages/dashboard";

export function ClusterPanel(props: {
  view: ClusterView;
  chosenType: string;
  onChoose(type: string): void;
}) {
  const { cluster, failure } = props.view;
  return (
    <section class="cluster" aria-labelledby="cluster-title">
      <header class="section-head">
        <h2 id="cluster-title">{title(cluster)}</h2>
        {cluster && <p class="muted small">{summary(cluster)}</p>}
        <a class="small section-side" href={hrefOf("cluster")}>
          {messages.nodesAndQueue}
        </a>
        {failure && (
          <p class="stale" role="status">
            {messages.notUpToDate({ reason: failure.sentence })}
          </p>
        )}
      </header>
      <ul class="gpu-cards" aria-busy={!cluster}>
        {!cluster && !failure && [0, 1, 2].map((key) => <Skeleton key={key} />)}
        {cluster?.gpuTypes.map((gpu) => (
          <GpuCard
            key={gpu.type}
            gpu={gpu}
            chosen={props.chosenType === gpu.type}
            onChoose={props.onChoose}
          />
        ))}
      </ul>
      {cluster?.gpuTypes.length === 0 && (
        <p class="empty">{messages.thisClusterHasNoGpus}</p>
      )}
    </section>
  );
}

// While Slurm does not respond, the numbers are from its last response.
function title(cluster: GetClusterResponse | undefined): string {
  return cluster?.slurm?.reachable === false
    ? messages.availableWhenSlurmLastResponded
    : messages.availableNow;
}

function summary({ cpus, limits }: GetClusterResponse): string {
  return [
    cpus && messages.cpusFree({ free: cpus.free, total: cpus.total }),
    limits &&
      limits.maxRunningJobs > 0 &&
      messages.jobsInUse({
        jobs: limits.jobsNow,
        limit: limits.maxRunningJobs,
      }),
  ]
    .filter(Boolean)
    .join(" · ");
}

function Skeleton() {
  return (
    <li class="gpu-card" aria-hidden="true">
      <div class="skeleton skeleton-gpu" />
    </li>
  );
}
