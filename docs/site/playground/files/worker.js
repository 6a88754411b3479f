// Programs, as they come -> what they give: Python by Pyodide, from the folder beside, and tapeviz by `runner.py`.

const say = (text) => postMessage({ kind: "loading", text });

/** The content of a file beside; fetched, where it has a checksum, only if it is the one. */
async function read(name, options = {}) {
  const response = await fetch(name, options);
  if (!response.ok) throw new Error(`${name} is not on this server (${response.status})`);
  return response;
}

/** Whoever deploys this page is told what is missing, and how to bring it. */
function requireWhole({ missing, pyodide, variable }) {
  if (missing.length === 0) return;
  throw new Error(
    `this copy of the playground was built without ${missing.join(", ")} of Pyodide ${pyodide}. To build it with them: ` +
      `${variable}=folder python -m docs.site.playground, where that folder has the files of this release`,
  );
}

/** @returns {Promise<(source: string) => object>} what runs a program */
async function start() {
  const manifest = await (await read("manifest.json")).json();
  requireWhole(manifest);
  say(`Loading Python (Pyodide ${manifest.pyodide}) …`);
  const { loadPyodide } = await import("./pyodide/pyodide.mjs");
  const python = await loadPyodide({ indexURL: new URL("pyodide/", import.meta.url).href });
  say("Loading NumPy and tapeviz …");
  const { name, integrity } = manifest.archive;
  const [packed, runner] = await Promise.all([
    read(name, { integrity }).then((response) => response.arrayBuffer()),
    read("runner.py").then((response) => response.text()),
    python.loadPackage(manifest.packages, { messageCallback: () => {}, errorCallback: () => {} }),
  ]);
  const home = python.runPython("import sysconfig; sysconfig.get_path('purelib')");
  python.unpackArchive(packed, "zip", { extractDir: home });
  const names = python.globals.get("dict")();
  python.runPython(runner, { globals: names, filename: "runner.py" });
  const run = names.get("run");
  return (source) => run(source).toJs({ dict_converter: Object.fromEntries });
}

const starting = start();
starting.catch((error) => postMessage({ kind: "failed", text: `Python could not be started: ${error.message}.` }));

onmessage = async ({ data }) => {
  const run = await starting;
  postMessage({ kind: "result", result: run(data) });
};
