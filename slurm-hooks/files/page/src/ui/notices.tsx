// Short messages about what was done or failed.
import type { FilesPage } from "../files_page";
import { text } from "../language/text";
import { useStore } from "../store";
import { Icon } from "./icon";

export function Notices({ page }: { page: FilesPage }) {
  const { notices } = useStore(page.ui);
  return (
    <div class="notices" aria-live="polite">
      {notices.map(({ id, isError, title, detail }) => (
        <div
          key={id}
          class={isError ? "notice notice-bad" : "notice"}
          role={isError ? "alert" : "status"}
        >
          <Icon name={isError ? "alert" : "check"} />
          <div>
            <p class="notice-title">{title}</p>
            {detail && <p>{detail}</p>}
          </div>
          <button
            type="button"
            class="icon-button"
            aria-label={text("close")}
            onClick={() => page.ui.dispatch({ type: "dismiss", id })}
          >
            <Icon name="cross" />
          </button>
        </div>
      ))}
    </div>
  );
}
