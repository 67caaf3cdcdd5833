// The frame of every page after login. Selects the page by the address.
import { useEffect, useMemo, useState } from "preact/hooks";
import { type JobSpec, JobState } from "#proto/jobs";
import type { Drafts } from "../features/environments/choice";
import {
  EnvironmentsContext,
  useEnvironmentList,
} from "../features/environments/environments_context";
import { useJobs } from "../features/jobs/use_jobs";
import { Bell } from "../features/notifications/bell";
import { Header } from "./header";
import { HelpMenu } from "./help_menu";
import { Navigation, navigationLinks } from "./navigation";
import { useClusterName } from "./use_cluster_name";
import { useShortcuts } from "./use_shortcuts";
import { useBrowserNotifications } from "../features/notifications/browser_notifications";
import { urgentOf } from "../features/notifications/notification_labels";
import {
  NotificationsContext,
  useNotifications,
  useSharedNews,
} from "../features/notifications/use_notifications";
import { AnnouncementBanners } from "../features/announcements/announcement_banners";
import {
  AnnouncementsContext,
  useAnnouncements,
} from "../features/announcements/use_announcements";
import { MaintenanceBanner } from "../features/maintenance/maintenance_banner";
import {
  MaintenanceContext,
  useMaintenance,
} from "../features/maintenance/use_maintenance";
import { offerInstallation } from "../lib/install";
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
import { TitleStateContext } from "../routes/page_title";
import { areaOf, hrefOf, parseRoute } from "../routes/route";
import { useRoute } from "../routes/use_route";
import { StreamUpdatesContext } from "../session/stream_updates_context";
import { useSession } from "../session/session_context";
import { mayAdminister, mayChange } from "../session/roles";
import { specToForm } from "../features/start/form/spec_to_form";
import type { StartForm } from "../features/start/form/start_form";
import { UnknownPage } from "./unknown_page";
import { DashboardPage } from "../features/dashboard/dashboard_page";
import { messages } from "#messages/app";

const UrgentBanners = lazy(async () => {
  return (await import("../features/notifications/urgent_banners"))
    .UrgentBanners;
});
const FilesPage = lazy(async () => {
  return (await import("../features/files/files_page")).FilesPage;
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
const JobPage = lazy(async () => {
  return (await import("../features/job_page/job_page")).JobPage;
});
const ComparisonPage = lazy(async () => {
  return (await import("../features/comparison/comparison_page"))
    .ComparisonPage;
});
const AccountPages = lazy(async () => {
  return (await import("../features/account/account_pages")).AccountPages;
});
const CommandPalette = lazy(async () => {
  return (await import("./command_palette")).CommandPalette;
});
const ShortcutsDialog = lazy(async () => {
  return (await import("./shortcuts_dialog")).ShortcutsDialog;
});
const FirstStepsDialog = lazy(async () => {
  return (await import("./first_steps_dialog")).FirstStepsDialog;
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
  const jobs = useJobs();
  const notices = useMemo(
    () => ({
      live: jobs.link === "live" && jobs.noticeEpoch !== "",
      epoch: jobs.noticeEpoch,
    }),
    [jobs.link, jobs.noticeEpoch],
  );
  const notifications = useNotifications(notices);
  const maintenance = useMaintenance(notices);
  const announcements = useAnnouncements(true, notices);
  const inbox = notifications.list.value;
  useBrowserNotifications(inbox?.notifications);
  useEffect(offerInstallation, []);
  const [dialog, setDialog] = useState<"commands" | "shortcuts" | "tour">();
  const news = useSharedNews(notifications);
  const urgent = urgentOf(inbox?.notifications ?? []);
  const area = areaOf(route);
  const [clusterName, setClusterName] = useClusterName(area === "dashboard");
  const projects = useProjectList(news);
  const reservations = useReservationList(
    `${news} ${area}`,
    jobs.updates.cluster,
  );
  const environments = useEnvironmentList(area);
  const known =
    route.page !== "unknown" && (area !== "admin" || mayAdminister(session));
  const ready = jobs.list.jobs.filter(({ state }) => state === JobState.READY);
  const links = navigationLinks({
    environments: environments.value?.offered ?? false,
    reservations:
      reservations.value?.limits !== undefined ||
      reservationsOf(reservations).length > 0,
    administration: mayAdminister(session),
    waiting: projects.value?.waitingCount ?? 0,
  });
  const close = () => setDialog(undefined);
  useShortcuts((action) => {
    if (action.kind === "palette") setDialog("commands");
    if (action.kind === "help") setDialog("shortcuts");
    if (action.kind === "go") location.hash = action.href;
    if (action.kind === "form") goToForm();
  });

  return (
    <TitleStateContext.Provider
      value={
        ready.length > 0 ? messages.readyJobs({ count: ready.length }) : ""
      }
    >
      <StreamUpdatesContext.Provider value={jobs.updates}>
        <div class="shell">
          <Header
            clusterName={clusterName}
            navigation={<Navigation links={links} area={area} />}
            bell={<Bell view={notifications} />}
            help={
              <HelpMenu
                showShortcuts={() => setDialog("shortcuts")}
                tour={() => setDialog("tour")}
              />
            }
            hasForm={area === "dashboard"}
            showCommands={() => setDialog("commands")}
          />
          <main class="page" id="page" tabIndex={-1}>
            {maintenance.value && (
              <MaintenanceBanner
                maintenance={maintenance.value}
                mayTest={mayChange(session)}
              />
            )}
            <AnnouncementBanners announcements={announcements.value} />
            {urgent.length > 0 && (
              <UrgentBanners urgent={urgent} view={notifications} />
            )}
            {!known && <UnknownPage />}
            {known && area === "files" && <FilesPage jobs={jobs} />}
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
              {known && area === "job" && (
                <JobPage
                  key={route.jobId}
                  id={route.jobId}
                  jobs={jobs}
                  query={route.query}
                  onStartAgain={(again) => setForm(specToForm(again))}
                />
              )}
              {known && area === "compare" && (
                <ComparisonPage query={route.query} jobs={jobs} />
              )}
              {known && (area === "usage" || area === "cluster") && (
                <InsightsPages route={route} jobs={jobs} />
              )}
              <MaintenanceContext.Provider value={maintenance}>
                <AnnouncementsContext.Provider value={announcements}>
                  {known && area === "admin" && <AdminPages route={route} />}
                </AnnouncementsContext.Provider>
              </MaintenanceContext.Provider>
              <EnvironmentsContext.Provider value={environments.value}>
                <ReservationsContext.Provider
                  value={reservationsOf(reservations)}
                >
                  {known && area === "dashboard" && (
                    <DashboardPage
                      jobs={jobs}
                      query={route.query}
                      form={form}
                      setForm={setForm}
                      onClusterName={setClusterName}
                    />
                  )}
                </ReservationsContext.Provider>
              </EnvironmentsContext.Provider>
            </ProjectsContext.Provider>
          </main>
          {dialog === "commands" && (
            <CommandPalette links={links} jobs={jobs.list.jobs} close={close} />
          )}
          {dialog === "shortcuts" && <ShortcutsDialog close={close} />}
          {dialog === "tour" && <FirstStepsDialog close={close} />}
        </div>
      </StreamUpdatesContext.Provider>
    </TitleStateContext.Provider>
  );
}

function goToForm(): void {
  if (areaOf(parseRoute(location.hash)) !== "dashboard") {
    location.hash = hrefOf("dashboard");
  }
  requestAnimationFrame(() => {
    const form = document.getElementById("start");
    form?.scrollIntoView({ block: "nearest" });
    form?.focus({ preventScroll: true });
  });
}
