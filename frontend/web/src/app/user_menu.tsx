// The menu of the user: name, role, account, theme, log-out.
import { useState } from "preact/hooks";
import { authClient } from "../api/core";
import { failureOf } from "../api/failure";
import { hrefOf, type PlainPage } from "../routes/route";
import { roleLabel } from "../session/roles";
import { useSession } from "../session/session_context";
import { Icon, type IconName } from "../ui/icon";
import { LanguageSwitch } from "../ui/language_switch";
import { Popover } from "../ui/popover";
import { ThemeSwitch } from "../ui/theme_switch";
import { useReport } from "../ui/toasts";
import { messages } from "#messages/app";

const kPages: readonly (readonly [PlainPage, string, IconName, string])[] = [
  ["security", messages.accountAndSecurity, "shield", "to-account"],
  ["tokens", messages.accessTokens, "key", "to-tokens"],
  ["images", messages.images, "layers", "to-images"],
  ["limits", messages.limits, "gauge", "to-limits"],
];

export function UserMenu() {
  const { session, end, endIfOver } = useSession();
  const report = useReport();
  const [busy, setBusy] = useState(false);
  const name = session.displayName || session.username;

  const logOut = async () => {
    if (busy) return;
    setBusy(true);
    try {
      await authClient.logout({});
      end("");
    } catch (error) {
      const failure = failureOf(error);
      if (endIfOver(failure)) return;
      report(messages.loggingOutFailed, failure);
      setBusy(false);
    }
  };

  return (
    <Popover
      label={messages.userMenuOf({ name })}
      class="avatar"
      testId="user-menu"
      button={<span aria-hidden="true">{name.slice(0, 1)}</span>}
    >
      {() => (
        <div class="menu">
          <p class="menu-head">
            <strong>{name}</strong>
            <span class="muted">
              {session.username} · {roleLabel(session.role)}
            </span>
          </p>
          {kPages.map(([page, label, icon, testId]) => (
            <a
              key={page}
              class="menu-item"
              href={hrefOf(page)}
              data-testid={testId}
            >
              <Icon name={icon} /> {label}
            </a>
          ))}
          <div class="menu-row">
            <span aria-hidden="true">{messages.theme}</span>
            <ThemeSwitch />
          </div>
          <div class="menu-row">
            <span aria-hidden="true">{messages.language}</span>
            <LanguageSwitch />
          </div>
          <button
            class="menu-item menu-line"
            type="button"
            data-testid="logout"
            onClick={logOut}
          >
            <Icon name="leave" /> {messages.logOut}
          </button>
        </div>
      )}
    </Popover>
  );
}
