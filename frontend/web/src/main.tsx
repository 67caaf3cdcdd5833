import { render } from "preact";
import { App } from "./app";
import { applyStoredTheme } from "./ui/theme";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/factors.css";
import "./styles/login.css";
import "./styles/shell.css";
import "./styles/cluster.css";
import "./styles/jobs.css";
import "./styles/companions.css";
import "./styles/start.css";
import "./styles/apps.css";
import "./styles/log.css";
import "./styles/overlays.css";

applyStoredTheme();
render(<App />, document.getElementById("app")!);
