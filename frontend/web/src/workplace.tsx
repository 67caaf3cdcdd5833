// The page of work: what is free, my jobs, the form that starts the next one.
import {
  type Dispatch,
  type StateUpdater,
  useCallback,
  useEffect,
} from "preact/hooks";
import type { Job } from "#proto/jobs";
import { ClusterPanel } from "./cluster/cluster_panel";
import { SlurmBanner } from "./cluster/slurm_banner";
import { useCluster } from "./cluster/use_cluster";
import { cardId } from "./jobs/job_card";
import { JobPanel } from "./jobs/job_panel";
import { useJobs } from "./jobs/use_jobs";
import { PageTitle } from "./route/page_title";
import { hrefOf } from "./route/route";
import { StartPanel } from "./start/start_panel";
import { StartSkeleton } from "./start/start_skeleton";
import {
  blankForm,
  type FieldName,
  fitted,
  type StartForm,
} from "./start/start_form";
import { StorageBanner } from "./storage/storage_banner";
import { StoragePanel } from "./storage/storage_panel";
import { useStorage } from "./storage/use_storage";

export function Workplace(props: {
  query: string; // "environment=…" puts one into the form
  form: StartForm | undefined; // outlives this page
  setForm: Dispatch<StateUpdater<StartForm | undefined>>;
  onClusterName(name: string): void;
}) {
  const { query, form, setForm, onClusterName } = props;
  const jobs = useJobs();
  const view = useCluster(jobs.clusterEpoch);
  const storage = useStorage();
  const { cluster } = view;
  const clusterName = cluster?.name ?? "";
  useEffect(() => {
    if (cluster) setForm(fitted(form ?? blankForm(cluster), cluster));
  }, [cluster, form]);
  const formIsThere = form !== undefined;
  useEffect(() => {
    const environment = new URLSearchParams(query).get("environment");
    if (!environment || !formIsThere) return;
    setForm((old) => old && { ...old, environment });
    // Once: coming back to this page must not choose it again.
    history.replaceState(null, "", hrefOf("work"));
    requestAnimationFrame(() =>
      document.getElementById("start")?.scrollIntoView({ block: "nearest" }),
    );
  }, [query, formIsThere]);
  useEffect(() => {
    if (clusterName) onClusterName(clusterName);
  }, [clusterName, onClusterName]);

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
    <>
      <PageTitle text={`Your work on ${clusterName || "the cluster"}`} quiet />
      <SlurmBanner health={cluster?.slurm} />
      <StorageBanner areas={storage.areas} />
      <ClusterPanel
        view={view}
        chosenType={form?.gpuType ?? ""}
        onChoose={chooseGpu}
      />
      <div class="columns">
        <div class="column">
          <JobPanel view={jobs} cluster={cluster} />
          <StoragePanel view={storage} />
        </div>
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
    </>
  );
}
