// Shows the password rules of the site's directory and changes the password.
import { useState } from "preact/hooks";
import { accountClient } from "../../api/account";
import { useQuery } from "../../session/use_query";
import { QueryView } from "../../ui/loaded_view";
import { useConfirmation } from "../../ui/toasts";
import { Panel } from "../../ui/panel";
import { PasswordForm } from "./password_form";
import { messages } from "#messages/account";

export function PasswordPanel() {
  const loaded = useQuery(() => accountClient.getPasswordRules({}));
  const [open, setOpen] = useState(false);
  const confirm = useConfirmation();
  return (
    <Panel
      title={messages.password}
      about={messages.thePasswordOfYourCluster}
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
            {messages.changePassword}
          </button>
        )
      }
    >
      <QueryView loaded={loaded}>
        {({ changeable, rules }) =>
          !changeable ? (
            <p>{messages.youCannotChangeYourPassword}</p>
          ) : (
            open && (
              <PasswordForm
                rules={rules}
                close={() => setOpen(false)}
                done={() => {
                  setOpen(false);
                  confirm(messages.yourPasswordWasChangedAnd);
                }}
              />
            )
          )
        }
      </QueryView>
    </Panel>
  );
}
