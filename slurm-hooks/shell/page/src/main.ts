// The shell's page: a tab for each terminal that runs, or a first one.
import "@xterm/xterm/css/xterm.css";
import "./style.css";
import { Workbench } from "./workbench";

interface Listed {
  name: string;
  title: string;
  alive: boolean;
}

async function runningTerminals(): Promise<Listed[]> {
  const answer = await fetch("api/terminals");
  if (!answer.ok) return [];
  const listed = (await answer.json()) as Listed[];
  return listed.filter(({ alive }) => alive);
}

function element<Kind extends HTMLElement>(id: string): Kind {
  return document.getElementById(id) as Kind;
}

const workbench = new Workbench(
  element("tabs"),
  element("panels"),
  element("notice"),
  element<HTMLButtonElement>("new"),
);
const running = await runningTerminals().catch(() => []);
for (const { name, title } of running) workbench.open(name, title);
if (running.length === 0) workbench.open("1");
