"""Saving a model: an error that says what to keep instead."""

from __future__ import annotations

from tapeviz.engine.tensors.missing_attributes import Absent

KEEP = (
    "tapeviz writes no files of models: model.get_weights() gives arrays, which np.savez keeps, and "
    "model.set_weights(...) takes them; get_config() gives plain values."
)


class Unsaved:
    """The methods of Keras's models that write and read files."""

    save = Absent("save", KEEP)
    save_weights = Absent("save_weights", KEEP)
    load_weights = Absent("load_weights", KEEP)
    export = Absent("export", KEEP)
