// The password in the site's directory: its rules, and a new one.
import { useState } from "preact/hooks";
import { accountClient } from "../../api/account";
import { useLoaded } from "../../session/use_query";
import { LoadedView } from "../../ui/loaded_view";
import { News } from "../../ui/status_message";
import { Panel } from "../../ui/panel";
import { PasswordForm } from "./password_form";

export function PasswordPanel() {
  const loaded = useLoaded(() => accountClient.getPasswordRules({}));
  const [open, setOpen] = useState(false);
  const [news, setNews] = useState("");
  return (
    <Panel
      title="Password"
      about="The one of your account on the cluster, kept in the site’s directory."
      testName="password"
      actions={
        loaded.value?.changeable &&
        !open && (
          <button
            class="button button-small"
            type="button"
            data-test="password-change"
            onClick={() => setOpen(true)}
          >
            Change it
          </button>
        )
      }
    >
      <News text={news} />
      <LoadedView loaded={loaded}>
        {({ changeable, rules }) =>
          !changeable ? (
            <p>It cannot be changed here; the site has another place for it.</p>
          ) : (
            open && (
              <PasswordForm
                rules={rules}
                close={() => setOpen(false)}
                done={() => {
                  setOpen(false);
                  setNews(
                    "Your password was changed. Your other sessions have ended.",
                  );
                }}
              />
            )
          )
        }
      </LoadedView>
    </Panel>
  );
}
