// The calls that a page makes when the application opens, sent together with the
// one for the session, before it is known. If a page makes other calls, nothing
// fails; they are more requests.
import { AnnouncementService } from "#proto/announcement";
import { AuthService } from "#proto/auth";
import { ClusterService } from "#proto/cluster";
import { EnvironmentService } from "#proto/environment";
import { MaintenanceService } from "#proto/maintenance";
import { NotificationService } from "#proto/notification";
import { PresetService } from "#proto/preset";
import { ProjectService } from "#proto/project";
import { ReservationService } from "#proto/reservation";
import { StorageService } from "#proto/storage";
import { TemplateService } from "#proto/template";
import type { FirstCall } from "../api/call_batcher";
import { firstCall, sendFirstCalls } from "../api/transport";
import { kNotificationsRequest } from "../features/notifications/use_notifications";
import { areaOf, parseRoute } from "../routes/route";

const kKey = "carme-session";

// Whether the last page of this browser had a session. Its cookie is not for
// scripts.
export function rememberSession(exists: boolean): void {
  try {
    if (exists) localStorage.setItem(kKey, "1");
    else localStorage.removeItem(kKey);
  } catch {
    // The next page then asks for its session first.
  }
}

export function loadFirst(hash: string): void {
  if (hasSession()) sendFirstCalls(firstCallsOf(hash));
}

export function firstCallsOf(hash: string): readonly FirstCall[] {
  const frame = [
    firstCall(AuthService.method.getSession, {}),
    firstCall(AnnouncementService.method.listAnnouncements, {}),
    firstCall(MaintenanceService.method.getMaintenance, {}),
    firstCall(
      NotificationService.method.listNotifications,
      kNotificationsRequest,
    ),
    firstCall(ProjectService.method.listProjects, {}),
    firstCall(ReservationService.method.listReservations, {}),
    firstCall(EnvironmentService.method.listEnvironments, {}),
  ];
  const area = areaOf(parseRoute(hash));
  if (area !== "dashboard" && area !== "files") return frame;
  const shared = [
    ...frame,
    firstCall(ClusterService.method.getCluster, {}),
    firstCall(StorageService.method.getStorage, {}),
  ];
  if (area === "files") return shared;
  return [
    ...shared,
    firstCall(PresetService.method.listPresets, {}),
    firstCall(TemplateService.method.listTemplates, {}),
  ];
}

function hasSession(): boolean {
  try {
    return localStorage.getItem(kKey) !== null;
  } catch {
    return false; // storage is disabled in this browser
  }
}
