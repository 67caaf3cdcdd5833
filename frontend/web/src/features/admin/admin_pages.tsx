// The administration pages. Support sees them read-only.
import { SiteImagesPage } from "../images/site_images_page";
import { LimitRulesPage } from "../limits/limit_rules_page";
import type { PlainPage, Route } from "../../routes/route";
import { hrefOf } from "../../routes/route";
import type { IconName } from "../../ui/icon";
import { SectionNav } from "../../ui/section_nav";
import { TemplatesPage } from "../templates/templates_page";
import { MaintenancePage } from "../maintenance/maintenance_page";
import { AllJobsPage } from "./all_jobs_page";
import { AuditPage } from "./audit/audit_page";
import { HealthPage } from "./health_page";
import { LogPage } from "./logs/log_page";
import { RolesPage } from "./roles_page";
import { UserPage } from "./user_page";
import { UsersPage } from "./users_page";
import "../../styles/account.css";
import "../../styles/admin.css";
import { messages } from "./messages";

const kPages: readonly (readonly [PlainPage, string, IconName])[] = [
  ["users", messages.users, "people"],
  ["roles", messages.roles, "key"],
  ["jobs", messages.jobs, "play"],
  ["siteImages", messages.images, "app"],
  ["templates", messages.templates, "layers"],
  ["limitRules", messages.limits, "list"],
  ["audit", messages.auditLog, "list"],
  ["logs", messages.logs, "list"],
  ["health", messages.health, "shield"],
  ["maintenance", messages.maintenance, "clock"],
];

export function AdminPages({ route }: { route: Route }) {
  const shown = route.page === "user" ? "users" : route.page;
  return (
    <div class="area area-wide">
      <SectionNav
        label={messages.administration}
        links={kPages.map(([page, label, icon]) => ({
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

function contentOf({ page, username, query }: Route) {
  switch (page) {
    case "user":
      return <UserPage key={username} username={username} />;
    case "roles":
      return <RolesPage />;
    case "jobs":
      return <AllJobsPage />;
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
    case "maintenance":
      return <MaintenancePage />;
    default:
      return <UsersPage />;
  }
}
