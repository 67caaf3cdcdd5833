// The dashboard: what starts with one click, available GPUs, the user's jobs and
// the start form.
import {
  type Dispatch,
  type StateUpdater,
  useCallback,
  useEffect,
  useState,
} from "preact/hooks";
import type { Job } from "#proto/jobs";
import { clusterOf } from "../../api/clusters";
import { useFirstRun } from "../first_run/use_first_run";
import { lazy } from "../../routes/lazy";
import { ClusterPanel } from "./cluster_panel";
import { SlurmBanner } from "./slurm_banner";
import { useCluster } from "./use_cluster";
import { cardId } from "../jobs/job_card";
import { JobPanel } from "../jobs/job_panel";
import type { JobsView } from "../jobs/use_jobs";
import { useClusterChoice } from "../../session/cluster_context";
import { PageTitle } from "../../routes/page_title";
import { hrefOf } from "../../routes/route";
import { specToForm } from "../start/form/spec_to_form";
import { clusterOfLink, readLink } from "../start/form/form_link";
import { quickStarts } from "../start/quick_starts";
import { QuickStartTiles } from "../start/quick_start_tiles";
import { usePresets } from "../start/use_presets";
import { StartPanel } from "../start/start_panel";
import { StartSkeleton } from "../start/start_skeleton";
import {
  blankForm,
  type FieldName,
  fitted,
  type StartForm,
} from "../start/form/start_form";
import { StorageBanner } from "./storage_banner";
import { StoragePanel } from "./storage_panel";
import { useStorage } from "./use_storage";
import { messages } from "#messages/dashboard";

const FirstRunGuide = lazy(async () => {
  return (await import("../first_run/first_run_guide")).FirstRunGuide;
});

export function DashboardPage(props: {
  jobs: JobsView;
  query: string; // form values from a link, such as "environment=…"
  form: StartForm | undefined; // kept when this page closes
  setForm: Dispatch<StateUpdater<StartForm | undefined>>;
  onClusterName(name: string): void;
}) {
  const { jobs, query, form, setForm, onClusterName } = props;
  const { accept } = jobs;
  const { names, selected, select } = useClusterChoice();
  const view = useCluster(jobs.updates.cluster.epoch);
  const storage = useStorage(jobs.list);
  const presets = usePresets();
  const { cluster } = view;
  const clusterName = cluster?.name ?? "";
  useEffect(() => {
    if (!cluster) return;
    // Uses the newest form. With the form of this rendering, two updates could
    // undo each other endlessly.
    setForm((newest) => fitted(newest ?? blankForm(cluster), cluster));
  }, [cluster, form, setForm]);
  const formIsThere = form !== undefined;
  const [linked, setLinked] = useState<readonly string[]>();
  const linkedCluster = clusterOfLink(query, names);
  const linksAway = linkedCluster !== undefined && linkedCluster !== selected;
  useEffect(() => {
    if (linksAway) select(linkedCluster);
  }, [linksAway, linkedCluster, select]);
  useEffect(() => {
    if (!query || !cluster || !formIsThere || linksAway) return;
    const { fields, validationErrors } = readLink(query, cluster, names);
    setForm((old) => old && { ...old, ...fields });
    setLinked(validationErrors);
    // Removes the query from the address. Returning to this page must not fill
    // in the form again, but opening the same link again must.
    location.replace(hrefOf("dashboard"));
    showForm();
  }, [query, cluster, formIsThere, linksAway, names, setForm]);
  const startAgain = useCallback(
    (job: Job) => {
      const { spec } = job;
      if (!spec) return;
      const name = clusterOf(job);
      if (name !== selected) select(name, spec);
      else setForm(specToForm(spec));
      setLinked(undefined);
      showForm();
    },
    [setForm, selected, select],
  );
  useEffect(() => {
    if (clusterName) onClusterName(clusterName);
  }, [clusterName, onClusterName]);

  const setField = useCallback(
    (name: FieldName, value: string) => {
      setForm((old) => old && { ...old, [name]: value });
    },
    [setForm],
  );
  const chooseGpu = useCallback(
    (gpuType: string) => {
      setForm((old) => {
        if (!old) return old;
        if (old.gpuType === gpuType) return { ...old, gpuType: "" };
        const gpusPerNode = Number(old.gpusPerNode) > 0 ? old.gpusPerNode : "1";
        return { ...old, gpuType, gpusPerNode };
      });
    },
    [setForm],
  );

  const onStarted = useCallback(
    (job: Job) => {
      accept(job);
      setLinked(undefined);
      requestAnimationFrame(() => {
        document
          .getElementById(cardId(job))
          ?.scrollIntoView({ block: "nearest" });
      });
    },
    [accept],
  );

  const jobsHere = jobs.list.jobs.filter((job) => clusterOf(job) === selected);
  const loaded = jobs.list.loaded && (presets.value ?? presets.failure);
  const tiles =
    cluster && loaded
      ? quickStarts(jobsHere, presets.value?.presets ?? [], cluster)
      : undefined;
  const firstRun = useFirstRun(jobs.list.loaded ? jobs.list.jobs : undefined);
  const firstTile = tiles?.find(({ kind }) => kind === "app");
  const edit = (filled: StartForm) => {
    setForm(filled);
    setLinked(undefined);
    showForm();
  };

  return (
    <>
      <PageTitle text={messages.jobs} quiet />
      <SlurmBanner health={cluster?.slurm} />
      <StorageBanner areas={storage.areas} />
      <div class="columns">
        <div class="column">
          <QuickStartTiles
            tiles={tiles}
            disabled={cluster?.slurm?.reachable === false}
            onEdit={edit}
            onStarted={onStarted}
          />
          <ClusterPanel
            view={view}
            chosenType={form?.gpuType ?? ""}
            onChoose={chooseGpu}
          />
          <JobPanel
            view={jobs}
            cluster={cluster}
            guide={
              firstRun.isShown &&
              firstTile && (
                <FirstRunGuide
                  jobs={jobs.list.jobs}
                  first={firstTile}
                  cluster={cluster}
                  disabled={cluster?.slurm?.reachable === false}
                  onEdit={edit}
                  onStarted={onStarted}
                  onFinished={firstRun.end}
                />
              )
            }
            onAgain={startAgain}
          />
          <StoragePanel
            view={storage}
            side={
              <a class="small section-side" href={hrefOf("files")}>
                {messages.openFiles}
              </a>
            }
          />
        </div>
        {cluster && form ? (
          <StartPanel
            cluster={cluster}
            form={form}
            linked={linked}
            jobs={jobsHere}
            hasJobs={jobs.list.loaded || jobs.link !== "connecting"}
            presets={presets}
            onField={setField}
            onForm={(filled) => {
              setForm(filled);
              setLinked(undefined);
            }}
            onLinkSeen={() => setLinked(undefined)}
            onStarted={onStarted}
          />
        ) : (
          <StartSkeleton />
        )}
      </div>
    </>
  );
}

function showForm(): void {
  requestAnimationFrame(() =>
    document.getElementById("start")?.scrollIntoView({ block: "nearest" }),
  );
}
