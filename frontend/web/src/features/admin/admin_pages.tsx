// The administration pages. Support sees them read-only.
import { SiteImagesPage } from "../images/site_images_page";
import { LimitRulesPage } from "../limits/limit_rules_page";
import type { PlainPage, Route } from "../../routes/route";
import { hrefOf } from "../../routes/route";
import { mayChange } from "../../session/roles";
import { useSession } from "../../session/session_context";
import type { IconName } from "../../ui/icon";
import { SectionNav } from "../../ui/section_nav";
import { TemplatesPage } from "../templates/templates_page";
import { AnnouncementsPage } from "../announcements/announcements_page";
import { MaintenancePage } from "../maintenance/maintenance_page";
import { AllJobsPage } from "./all_jobs_page";
import { AuditPage } from "./audit/audit_page";
import { GpuUsePage } from "./gpu_use/gpu_use_page";
import { HealthPage } from "./health_page";
import { LogPage } from "./logs/log_page";
import { NodePage } from "./nodes/node_page";
import { NodesPage } from "./nodes/nodes_page";
import { OverviewPage } from "./overview/overview_page";
import { RolesPage } from "./roles_page";
import { UserPreviewPage } from "../user_preview/user_preview_page";
import { UserPage } from "./user_page";
import { UsersPage } from "./users_page";
import "../../styles/account.css";
import "../../styles/admin.css";
import { messages } from "#messages/admin";
import { messages as gpuUse } from "#messages/admin_gpu_use";
import { messages as overview } from "#messages/admin_overview";
import { messages as userPreview } from "#messages/user_preview";

const kPages: readonly (readonly [PlainPage, string, IconName])[] = [
  ["overview", overview.overview, "gauge"],
  ["users", messages.users, "people"],
  ["userPreview", userPreview.previewAsAUser, "desktop"],
  ["roles", messages.roles, "key"],
  ["jobs", messages.jobs, "play"],
  ["nodes", messages.nodes, "cpu"],
  ["gpuUse", gpuUse.gpuUse, "gauge"],
  ["siteImages", messages.images, "app"],
  ["templates", messages.templates, "layers"],
  ["limitRules", messages.limits, "list"],
  ["audit", messages.auditLog, "list"],
  ["logs", messages.logs, "list"],
  ["health", messages.health, "shield"],
  ["announcements", messages.announcements, "bell"],
  ["maintenance", messages.maintenance, "clock"],
];

export function AdminPages({ route }: { route: Route }) {
  const shown = shownPageOf(route);
  const { session } = useSession();
  const pages = kPages.filter(
    ([page]) => page !== "userPreview" || mayChange(session),
  );
  return (
    <div class="area">
      <SectionNav
        label={messages.administration}
        links={pages.map(([page, label, icon]) => ({
          href: hrefOf(page),
          label,
          icon,
          current: page === shown,
          testId: `nav-${page}`,
        }))}
      />
      <div class="area-page">{contentOf(route)}</div>
    </div>
  );
}

// The entry of the navigation to which a page belongs.
function shownPageOf({ page }: Route) {
  if (page === "user") return "users";
  return page === "node" ? "nodes" : page;
}

function contentOf({ page, username, node, query }: Route) {
  switch (page) {
    case "overview":
      return <OverviewPage />;
    case "node":
      return <NodePage key={node} node={node} />;
    case "user":
      return <UserPage key={username} username={username} />;
    case "userPreview":
      return <UserPreviewPage query={query} />;
    case "roles":
      return <RolesPage />;
    case "jobs":
      return <AllJobsPage />;
    case "nodes":
      return <NodesPage />;
    case "gpuUse":
      return <GpuUsePage query={query} />;
    case "siteImages":
      return <SiteImagesPage />;
    case "templates":
      return <TemplatesPage />;
    case "limitRules":
      return <LimitRulesPage />;
    case "audit":
      return <AuditPage query={query} />;
    case "logs":
      return <LogPage query={query} />;
    case "health":
      return <HealthPage />;
    case "announcements":
      return <AnnouncementsPage />;
    case "maintenance":
      return <MaintenancePage />;
    default:
      return <UsersPage />;
  }
}
