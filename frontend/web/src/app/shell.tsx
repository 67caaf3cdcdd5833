// The frame of every page after login. Selects the page by the address.
import { useState } from "preact/hooks";
import type { JobSpec } from "#proto/jobs";
import type { Drafts } from "../features/environments/choice";
import { Header } from "./header";
import {
  newestShared,
  urgentOf,
} from "../features/notifications/notification_labels";
import {
  NotificationsContext,
  useNotifications,
} from "../features/notifications/use_notifications";
import { MaintenanceBanner } from "../features/maintenance/maintenance_banner";
import {
  MaintenanceContext,
  useMaintenance,
} from "../features/maintenance/use_maintenance";
import { lazy } from "../routes/lazy";
import {
  ProjectsContext,
  projectsOf,
  useProjectList,
} from "../features/projects/projects_context";
import {
  ReservationsContext,
  reservationsOf,
  useReservationList,
} from "../features/reservations/reservations_context";
import { areaOf } from "../routes/route";
import { useRoute } from "../routes/use_route";
import { useSession } from "../session/session_context";
import { mayAdminister, mayChange } from "../session/roles";
import { specToForm } from "../features/start/form/spec_to_form";
import type { StartForm } from "../features/start/form/start_form";
import { UnknownPage } from "./unknown_page";
import { DashboardPage } from "../features/dashboard/dashboard_page";

const UrgentBanners = lazy(async () => {
  return (await import("../features/notifications/urgent_banners"))
    .UrgentBanners;
});
const EnvironmentsPage = lazy(async () => {
  return (await import("../features/environments/environments_page"))
    .EnvironmentsPage;
});
const ProjectsPage = lazy(async () => {
  return (await import("../features/projects/projects_page")).ProjectsPage;
});
const ReservationsPage = lazy(async () => {
  return (await import("../features/reservations/reservations_page"))
    .ReservationsPage;
});
const InsightsPages = lazy(async () => {
  return (await import("../features/insights/insights_pages")).InsightsPages;
});
const AccountPages = lazy(async () => {
  return (await import("../features/account/account_pages")).AccountPages;
});
const AdminPages = lazy(async () => {
  return (await import("../features/admin/admin_pages")).AdminPages;
});

// `spec`: fills in the start form at first.
export function Shell({ spec }: { spec: JobSpec | undefined }) {
  const route = useRoute();
  const { session } = useSession();
  const [form, setForm] = useState<StartForm | undefined>(
    spec && (() => specToForm(spec)),
  );
  const [drafts, setDrafts] = useState<Drafts>({});
  const [clusterName, setClusterName] = useState("");
  const notifications = useNotifications();
  const maintenance = useMaintenance();
  const inbox = notifications.list.value;
  const message = newestShared(inbox?.notifications ?? []);
  const urgent = urgentOf(inbox?.notifications ?? []);
  const area = areaOf(route);
  const projects = useProjectList(message);
  const reservations = useReservationList(`${message} ${area}`);
  const known =
    route.page !== "unknown" && (area !== "admin" || mayAdminister(session));

  return (
    <div class="shell">
      <Header
        clusterName={clusterName}
        area={area}
        waiting={projects.value?.waitingCount ?? 0}
        reserves={
          reservations.value?.limits !== undefined ||
          reservationsOf(reservations).length > 0
        }
        unread={inbox?.unread ?? 0}
        atBell={route.page === "notifications"}
      />
      <main class="page" id="page">
        {maintenance.value && (
          <MaintenanceBanner
            maintenance={maintenance.value}
            mayTest={mayChange(session)}
          />
        )}
        {urgent.length > 0 && (
          <UrgentBanners urgent={urgent} view={notifications} />
        )}
        {!known && <UnknownPage />}
        {known && area === "environments" && (
          <EnvironmentsPage
            route={route}
            drafts={drafts}
            setDrafts={setDrafts}
          />
        )}
        {known && area === "projects" && (
          <ProjectsPage route={route} list={projects} />
        )}
        {known && area === "reservations" && (
          <ReservationsPage
            list={reservations}
            projects={projectsOf(projects)}
          />
        )}
        <ProjectsContext.Provider value={projectsOf(projects)}>
          <NotificationsContext.Provider value={notifications}>
            {known && area === "account" && <AccountPages route={route} />}
          </NotificationsContext.Provider>
          {known && area === "history" && <InsightsPages route={route} />}
          <MaintenanceContext.Provider value={maintenance}>
            {known && area === "admin" && <AdminPages route={route} />}
          </MaintenanceContext.Provider>
          <ReservationsContext.Provider value={reservationsOf(reservations)}>
            {known && area === "dashboard" && (
              <DashboardPage
                query={route.query}
                form={form}
                setForm={setForm}
                onClusterName={setClusterName}
              />
            )}
          </ReservationsContext.Provider>
        </ProjectsContext.Provider>
      </main>
    </div>
  );
}
