import assert from "node:assert/strict";
import { test } from "node:test";

import { lineIn } from "../../../../tapeviz/views/frontend/words/lines.js";

const sites = (...files) => files.map((file, index) => ({ file, line: 10 + index }));

test("a line names its file where there are several", () => {
  assert.equal(lineIn(sites("src/train.py", "src/train.py"), 1), "line 11");
  const several = sites("src/train.py", "src\\nets\\model.py", "src/train.py");
  assert.deepEqual([0, 1, 2].map((site) => lineIn(several, site)), ["train.py, line 10", "model.py, line 11", "train.py, line 12"]);
});
