// The connection is lost, or the job has ended.
import type { FilesPage } from "../files_page";
import { text } from "../language/text";
import { useStore } from "../store";
import { Icon } from "./icon";

export function ConnectionBanner({ page }: { page: FilesPage }) {
  const { connection } = useStore(page.ui);
  if (connection === "ok") return null;
  const isLost = connection === "lost";
  return (
    <div class="banner" role="alert">
      <Icon name="cloud-off" />
      <p>{text(isLost ? "connection_lost" : "job_unavailable")}</p>
      <button
        type="button"
        class="button button-small"
        onClick={() => void page.connection.tryNow()}
      >
        {text("try_again")}
      </button>
    </div>
  );
}
