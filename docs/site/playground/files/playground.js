// The page: an editor, a menu of programs, a link, and a worker that runs what is in the editor.

import { edit } from "./editor.js";
import { hashOf, programOf } from "./links.js";

const at = (id) => document.getElementById(id);
const [source, output, frame] = [at("source"), at("output"), at("debugger")];
const buttons = { run: at("run"), stop: at("stop"), link: at("link") };

/** @type {Worker | null} */
let worker = null;
let started = 0;

function say(text, isError = false) {
  at("status").textContent = text;
  at("status").classList.toggle("error", isError);
}

/** A worker of its own, so that the page stays awake, and a program that never ends can be stopped. */
function wake() {
  worker = new Worker("worker.js", { type: "module" });
  worker.onmessage = ({ data }) => answer(data);
  worker.onerror = (event) => fail(`Python could not be started: ${event.message ?? "its worker did not load"}.`);
  return worker;
}

function run() {
  if (buttons.run.disabled) return;
  idle(false);
  started = performance.now();
  say("Running …");
  (worker ?? wake()).postMessage(source.value);
}

function stop() {
  worker?.terminate();
  worker = null;
  idle(true);
  say("Stopped. The next run starts Python again.");
}

function idle(is) {
  buttons.run.disabled = !is;
  buttons.stop.disabled = is;
}

function fail(message) {
  worker?.terminate();
  worker = null;
  idle(true);
  say(message, true);
}

/** How far Python is, to whoever waits for it. */
function tell(text) {
  if (buttons.run.disabled) say(text);
}

/** What the worker says: how far it is, what it lacks, or what the program gave. */
function answer(data) {
  if (data.kind === "loading") tell(data.text);
  else if (data.kind === "failed") fail(data.text);
  else show(data.result);
}

function show(result) {
  idle(true);
  const parts = [result.printed, result.error ?? "", result.findings, result.error ? "" : result.nothing];
  output.textContent = parts.filter(Boolean).join("\n");
  if (result.page === null) frame.removeAttribute("srcdoc");
  else frame.srcdoc = result.page;
  const seconds = ((performance.now() - started) / 1000).toFixed(2);
  say(result.error ? "The program ended with an error." : `Done in ${seconds} s.`, Boolean(result.error));
}

async function copyLink() {
  const hash = await hashOf(source.value);
  history.replaceState(null, "", hash);
  try {
    await navigator.clipboard.writeText(location.href);
    say("The link is copied. It holds the program; whoever opens it presses Run.");
  } catch {
    say("The address of this page is the link: copy it from there.");
  }
}

/** What a link holds is shown and not run: it is somebody else's. */
async function openLink() {
  try {
    const linked = await programOf(location.hash);
    if (linked === null) return;
    source.value = linked;
    say("A program from a link. Read it, then press Run.");
  } catch (error) {
    say(error.message, true);
  }
}

/** Start Python, while the program is read; and offer JupyterLite, where the site was built with it. */
async function prepare() {
  const { missing, notebooks } = await (await fetch("manifest.json")).json();
  if (missing.length === 0) wake();
  at("notebooks").hidden = !notebooks;
  if (notebooks) at("notebooks").href = notebooks;
}

async function fillMenu() {
  const programs = await (await fetch("programs.json")).json();
  const menu = at("programs");
  menu.replaceChildren(...programs.map((each) => new Option(each.title, each.name)));
  menu.onchange = () => {
    source.value = programs[menu.selectedIndex].source;
    history.replaceState(null, "", location.pathname);
    say("");
  };
  source.value = programs[0].source;
}

buttons.run.onclick = run;
buttons.stop.onclick = stop;
buttons.link.onclick = copyLink;
edit(source, run);
addEventListener("hashchange", openLink);
try {
  await Promise.all([fillMenu(), prepare()]);
  await openLink();
} catch {
  say("This page needs a server, such as python -m http.server: a browser reads no files beside a file.", true);
}
document.documentElement.dataset.ready = "";
