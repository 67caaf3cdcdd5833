// Job history, usage and cluster.
import { ClusterPage } from "./cluster/cluster_page";
import type { PlainPage, Route } from "../../routes/route";
import { hrefOf } from "../../routes/route";
import type { IconName } from "../../ui/icon";
import { SectionNav } from "../../ui/section_nav";
import { HistoryPage } from "./history/history_page";
import { UsagePage } from "./history/usage_page";
import "../../styles/account.css";
import "../../styles/admin.css";
import "../../styles/history.css";
import { messages } from "./messages";

const kPages: readonly (readonly [PlainPage, string, IconName])[] = [
  ["history", messages.jobHistory, "clock"],
  ["usage", messages.usage, "chart"],
  ["cluster", messages.cluster, "layers"],
];

export function InsightsPages({ route }: { route: Route }) {
  return (
    <div class="area area-wide">
      <SectionNav
        label={messages.history}
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
    case "cluster":
      return <ClusterPage />;
    default:
      return <HistoryPage query={query} />;
  }
}
