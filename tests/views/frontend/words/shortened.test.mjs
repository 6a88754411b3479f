import assert from "node:assert/strict";
import { test } from "node:test";

import { shortened } from "../../../../tapeviz/views/frontend/words/shortened.js";

test("a long name keeps its beginning and its end", () => {
  assert.equal(shortened("sequential/dense/kernel"), "sequential/dense/kernel");
  const short = shortened("vision_encoder/stage_1/projection_from_features_to_embedding/kernel");
  assert.equal(short, "vision_encoder/stage…to_embedding/kernel");
  assert.equal(short.length, 40);
});
