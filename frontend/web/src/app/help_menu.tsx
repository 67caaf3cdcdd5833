// Help: the site's documentation and support, keyboard shortcuts, and the version
// for a report to the administrator.
import { HelpLinkItems } from "../ui/help_links";
import { Icon } from "../ui/icon";
import { Popover } from "../ui/popover";
import { version } from "../../package.json";
import { messages } from "#messages/app";

export function HelpMenu(props: { showShortcuts(): void; tour(): void }) {
  return (
    <Popover
      label={messages.help}
      class="icon-button"
      testId="help-menu"
      button={<Icon name="help" />}
    >
      {(close) => (
        <div class="menu">
          <button
            class="menu-item"
            type="button"
            data-testid="first-steps"
            onClick={() => {
              close();
              props.tour();
            }}
          >
            <Icon name="notebook" /> {messages.firstSteps}
          </button>
          <button
            class="menu-item"
            type="button"
            data-testid="shortcuts"
            onClick={() => {
              close();
              props.showShortcuts();
            }}
          >
            <Icon name="list" /> {messages.keyboardShortcuts} <kbd>?</kbd>
          </button>
          <HelpLinkItems class="menu-item" onChoose={close} />
          <p class="menu-foot muted">{messages.carmeVersion({ version })}</p>
        </div>
      )}
    </Popover>
  );
}
