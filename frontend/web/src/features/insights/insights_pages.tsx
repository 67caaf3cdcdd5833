// The pages of the cluster and of usage, with the job history.
import { ClusterPage } from "./cluster/cluster_page";
import type { PlainPage, Route } from "../../routes/route";
import { hrefOf } from "../../routes/route";
import type { JobsView } from "../jobs/use_jobs";
import type { IconName } from "../../ui/icon";
import { SectionNav } from "../../ui/section_nav";
import { HistoryPage } from "./history/history_page";
import { UsagePage } from "./usage/usage_page";
import "../../styles/account.css";
import "../../styles/admin.css";
import "../../styles/history.css";
import { messages } from "#messages/insights";
import { messages as summaryMessages } from "#messages/summary";
import { SummaryPage } from "../summary/summary_page";

const kPages: readonly (readonly [PlainPage, string, IconName])[] = [
  ["usage", messages.usage, "chart"],
  ["summary", summaryMessages.summary, "print"],
  ["history", messages.jobHistory, "clock"],
];

export function InsightsPages(props: { route: Route; jobs: JobsView }) {
  const { route, jobs } = props;
  if (route.page === "cluster") {
    return <ClusterPage query={route.query} jobs={jobs} />;
  }
  return (
    <div class="area">
      <SectionNav
        label={messages.usage}
        links={kPages.map(([page, label, icon]) => ({
          href: hrefOf(page),
          label,
          icon,
          current: page === route.page,
          testId: `nav-${page}`,
        }))}
      />
      <div class="area-page">{contentOf(route)}</div>
    </div>
  );
}

function contentOf({ page, query }: Route) {
  switch (page) {
    case "usage":
      return <UsagePage query={query} />;
    case "summary":
      return <SummaryPage query={query} />;
    default:
      return <HistoryPage query={query} />;
  }
}
