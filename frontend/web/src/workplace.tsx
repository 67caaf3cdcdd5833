// The one page: what is free, my jobs, the form that starts the next one.
import { useCallback, useEffect, useState } from "preact/hooks";
import type { Job } from "#proto/jobs";
import { ClusterPanel } from "./cluster/cluster_panel";
import { SlurmBanner } from "./cluster/slurm_banner";
import { useCluster } from "./cluster/use_cluster";
import { Header } from "./header";
import { cardId } from "./jobs/job_card";
import { JobPanel } from "./jobs/job_panel";
import { useJobs } from "./jobs/use_jobs";
import { StartPanel } from "./start/start_panel";
import { StartSkeleton } from "./start/start_skeleton";
import { blankForm, type FieldName, type StartForm } from "./start/start_form";

export function Workplace() {
  const jobs = useJobs();
  const view = useCluster(jobs.clusterEpoch);
  const { cluster } = view;
  const [form, setForm] = useState<StartForm>();
  useEffect(() => {
    if (cluster && !form) setForm(blankForm(cluster));
  }, [cluster, form]);

  const setField = useCallback((name: FieldName, value: string) => {
    setForm((old) => old && { ...old, [name]: value });
  }, []);
  const chooseGpu = useCallback((gpuType: string) => {
    setForm((old) => {
      if (!old) return old;
      if (old.gpuType === gpuType) return { ...old, gpuType: "" };
      const gpusPerNode = Number(old.gpusPerNode) > 0 ? old.gpusPerNode : "1";
      return { ...old, gpuType, gpusPerNode };
    });
  }, []);

  const onStarted = useCallback(
    (job: Job) => {
      jobs.accept(job);
      requestAnimationFrame(() => {
        document
          .getElementById(cardId(job))
          ?.scrollIntoView({ block: "nearest" });
      });
    },
    [jobs.accept],
  );

  return (
    <div class="shell">
      <Header clusterName={cluster?.name ?? ""} />
      <main class="page">
        <h1 class="sr-only">Your work on {cluster?.name || "the cluster"}</h1>
        <SlurmBanner health={cluster?.slurm} />
        <ClusterPanel
          view={view}
          chosenType={form?.gpuType ?? ""}
          onChoose={chooseGpu}
        />
        <div class="columns">
          <JobPanel view={jobs} apps={cluster?.apps ?? []} />
          {cluster && form ? (
            <StartPanel
              cluster={cluster}
              form={form}
              onField={setField}
              onStarted={onStarted}
            />
          ) : (
            <StartSkeleton />
          )}
        </div>
      </main>
    </div>
  );
}
