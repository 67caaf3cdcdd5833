// Chooses the earlier run that a job is compared with.
import { HistoryScope } from "#proto/history";
import type { Job } from "#proto/jobs";
import { historyClient } from "../../api/history";
import { formatMoment, msOf } from "../../lib/format/moment";
import { hrefOf } from "../../routes/route";
import { useQuery } from "../../session/use_query";
import { Icon } from "../../ui/icon";
import { QueryView } from "../../ui/loaded_view";
import { Popover } from "../../ui/popover";
import { endOf, ranFor } from "../insights/history/history_labels";
import { comparisonHref } from "./comparison_link";
import { earlierRuns } from "./earlier_runs";
import "./comparison.css";
import { messages } from "#messages/comparison";

const kSearched = 200; // the search also finds longer names
const kMaxSearch = 100; // of HistoryFilter.search

export function EarlierRunsPopover(props: { job: Job; isMine: boolean }) {
  return (
    <Popover
      label={messages.compareWithEarlier}
      class="button"
      testId="compare-earlier"
      button={
        <>
          <Icon name="chart" /> {messages.compare}
        </>
      }
    >
      {() => <Runs {...props} />}
    </Popover>
  );
}

function Runs({ job, isMine }: { job: Job; isMine: boolean }) {
  const loaded = useQuery(() => load(job, isMine), job.id);
  const project = job.spec?.project ?? "";
  return (
    <div class="menu earlier-runs">
      <p class="menu-head">
        <strong>{messages.compareWithEarlier}</strong>
        <span class="muted">{messages.newestFirst}</span>
      </p>
      <QueryView loaded={loaded}>
        {(runs) => (
          <>
            {runs.length === 0 && (
              <p class="menu-foot muted" data-testid="no-earlier-runs">
                {messages.noEarlierRuns}
              </p>
            )}
            {runs.map((run) => (
              <a
                key={run.id}
                class="menu-item"
                data-testid={`compare-with-${run.id}`}
                // The earlier run is the one that differences are to.
                href={comparisonHref(
                  [run.id, job.id],
                  [project, run.spec?.project ?? ""],
                )}
              >
                <span>
                  {formatMoment(msOf(run.startedAt) ?? 0, Date.now())}
                </span>
                <span class="muted small">
                  {ranFor(run)} · {endOf(run)}
                </span>
              </a>
            ))}
          </>
        )}
      </QueryView>
      <a class="menu-item" href={hrefOf("history")}>
        {messages.moreInHistory}
      </a>
    </div>
  );
}

// Those of the owner of the job.
async function load(job: Job, isMine: boolean) {
  const { name = "", project = "" } = job.spec ?? {};
  const others = project ? HistoryScope.PROJECT : HistoryScope.EVERYBODY;
  const { jobs } = await historyClient.listHistory({
    filter: {
      scope: isMine ? HistoryScope.MINE : others,
      search: name.slice(0, kMaxSearch),
      ...(!isMine && { project, username: job.owner }),
    },
    pageSize: kSearched,
  });
  return earlierRuns(job, jobs);
}
