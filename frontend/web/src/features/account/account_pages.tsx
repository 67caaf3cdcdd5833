// The pages of the user's own account.
import { ImagesPage } from "../images/images_page";
import { LimitsPage } from "../limits/limits_page";
import { NotificationsPage } from "../notifications/notifications_page";
import type { Page, PlainPage, Route } from "../../routes/route";
import { hrefOf } from "../../routes/route";
import type { IconName } from "../../ui/icon";
import { SectionNav } from "../../ui/section_nav";
import { SecurityPage } from "./security_page";
import { SessionsPage } from "./sessions_page";
import { TokensPage } from "./tokens_page";
import "../../styles/account.css";
import "../../styles/admin.css";
import { messages } from "#messages/account";

const kPages: readonly (readonly [PlainPage, string, IconName])[] = [
  ["security", messages.security, "shield"],
  ["sessions", messages.sessions, "laptop"],
  ["tokens", messages.accessTokens, "code"],
  ["images", messages.images, "app"],
  ["limits", messages.limits, "list"],
  ["notifications", messages.notifications, "bell"],
];

export function AccountPages({ route }: { route: Route }) {
  return (
    <div class="area">
      <SectionNav
        label={messages.yourAccount}
        links={kPages.map(([page, label, icon]) => ({
          href: hrefOf(page),
          label,
          icon,
          current: route.page === page,
          testId: `nav-${page}`,
        }))}
      />
      <div class="area-page">{contentOf(route.page)}</div>
    </div>
  );
}

function contentOf(page: Page) {
  switch (page) {
    case "sessions":
      return <SessionsPage />;
    case "tokens":
      return <TokensPage />;
    case "images":
      return <ImagesPage />;
    case "limits":
      return <LimitsPage />;
    case "notifications":
      return <NotificationsPage />;
    default:
      return <SecurityPage />;
  }
}
