// The password in the site's directory: its rules, and a new one.
import { useState } from "preact/hooks";
import { accountClient } from "../../api/account";
import { useQuery } from "../../session/use_query";
import { QueryView } from "../../ui/loaded_view";
import { StatusMessage } from "../../ui/status_message";
import { Panel } from "../../ui/panel";
import { PasswordForm } from "./password_form";

export function PasswordPanel() {
  const loaded = useQuery(() => accountClient.getPasswordRules({}));
  const [open, setOpen] = useState(false);
  const [message, setMessage] = useState("");
  return (
    <Panel
      title="Password"
      about="The one of your account on the cluster, kept in the site’s directory."
      testId="password"
      actions={
        loaded.value?.changeable &&
        !open && (
          <button
            class="button button-small"
            type="button"
            data-testid="password-change"
            onClick={() => setOpen(true)}
          >
            Change it
          </button>
        )
      }
    >
      <StatusMessage text={message} />
      <QueryView loaded={loaded}>
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
                  setMessage(
                    "Your password was changed. Your other sessions have ended.",
                  );
                }}
              />
            )
          )
        }
      </QueryView>
    </Panel>
  );
}
