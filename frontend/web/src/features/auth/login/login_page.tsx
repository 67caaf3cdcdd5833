import { useEffect } from "preact/hooks";
import type { Session } from "#proto/auth";
import { branding } from "../../../lib/branding";
import { lazy } from "../../../routes/lazy";
import { kNoUpdates } from "../../../session/stream_updates_context";
import { HelpLinkItems } from "../../../ui/help_links";
import { LanguageSwitch } from "../../../ui/language_switch";
import { Logo } from "../../../ui/logo";
import { ThemeSwitch } from "../../../ui/theme_switch";
import { AnnouncementBanners } from "../../announcements/announcement_banners";
import { useAnnouncements } from "../../announcements/use_announcements";
import { MaintenanceBanner } from "../../maintenance/maintenance_banner";
import { useMaintenance } from "../../maintenance/use_maintenance";
import { LoginBackdrop } from "./login_backdrop";
import { LoginSteps } from "./login_steps";
import { messages } from "#messages/auth";

const MarkdownView = lazy(async () => {
  return (await import("../../announcements/markdown_view")).MarkdownView;
});

export function LoginPage(props: {
  reason: string;
  onSession(session: Session): void;
}) {
  useEffect(() => {
    document.title = messages.logInTitle({ portal: branding.name });
  }, []);
  const maintenance = useMaintenance(kNoUpdates);
  const announcements = useAnnouncements(false, kNoUpdates);
  return (
    <div class="login">
      <LoginBackdrop />
      <main class="login-side">
        <div class="login-theme">
          <LanguageSwitch />
          <ThemeSwitch />
        </div>
        <div class="login-card">
          <p class="brand">
            <Logo /> {branding.name}
          </p>
          {maintenance.value && (
            <MaintenanceBanner maintenance={maintenance.value} />
          )}
          <AnnouncementBanners announcements={announcements.value} />
          {branding.loginMessage && (
            <div class="login-message" data-testid="login-message">
              <MarkdownView text={branding.loginMessage} />
            </div>
          )}
          <LoginSteps {...props} />
          <p class="login-help">
            <HelpLinkItems class="link-button" />
          </p>
        </div>
      </main>
    </div>
  );
}
