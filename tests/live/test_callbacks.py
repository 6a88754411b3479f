"""`tv.watch()` as a callback of Keras', Lightning's and Transformers' trainers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeviz as tv

X = np.random.default_rng(0).standard_normal((200, 4)).astype(np.float32)
BAD = X.copy()
BAD[180] *= 1e4  # a spike at the 46th step


def by_keras(x: Any, folder: Path, *callbacks: Any) -> Any:
    keras = pytest.importorskip("keras")
    keras.utils.set_random_seed(0)
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    model.fit(x, x.sum(1, keepdims=True), batch_size=4, verbose=0, callbacks=list(callbacks), shuffle=False)
    return model.get_weights()


def by_lightning(x: Any, folder: Path, *callbacks: Any) -> Any:
    lightning, torch = pytest.importorskip("lightning.pytorch"), pytest.importorskip("torch")

    class Module(lightning.LightningModule):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))

        def training_step(self, batch: Any, index: int) -> Any:
            return (self.net(batch) - batch.sum(1, keepdim=True)).square().mean()

        def configure_optimizers(self) -> Any:
            return torch.optim.SGD(self.parameters(), 0.01)

    torch.manual_seed(0)
    module = Module()
    quiet: Any = {"logger": False, "enable_checkpointing": False, "enable_progress_bar": False}
    options: Any = {"max_epochs": 1, "accelerator": "cpu", "enable_model_summary": False, "default_root_dir": folder}
    loader = torch.utils.data.DataLoader(torch.tensor(x), batch_size=4)
    lightning.Trainer(callbacks=list(callbacks), **options, **quiet).fit(module, loader)
    return [each.detach().numpy() for each in module.parameters()]


def by_transformers(x: Any, folder: Path, *callbacks: Any) -> Any:
    transformers, torch = pytest.importorskip("transformers"), pytest.importorskip("torch")
    pytest.importorskip("accelerate")

    class Model(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))

        def forward(self, x: Any) -> Any:
            return {"loss": (self.net(x) - x.sum(1, keepdim=True)).square().mean()}

    torch.manual_seed(0)
    model = Model()
    arguments = transformers.TrainingArguments(
        str(folder),
        per_device_train_batch_size=4,
        num_train_epochs=1,
        max_grad_norm=0.0,
        report_to=[],
        save_strategy="no",
        logging_strategy="no",
        disable_tqdm=True,
        use_cpu=True,
        remove_unused_columns=False,
    )
    data = [{"x": torch.tensor(row)} for row in x]
    transformers.Trainer(model, arguments, train_dataset=data, callbacks=list(callbacks)).train()
    return [each.detach().numpy() for each in model.parameters()]


TRAINERS: dict[str, tuple[Callable[..., Any], str]] = {
    "keras": (by_keras, "keras_callback"),
    "lightning": (by_lightning, "lightning_callback"),
    "transformers": (by_transformers, "transformers_callback"),
}


@pytest.mark.parametrize(("train", "callback"), TRAINERS.values(), ids=TRAINERS)
def test_a_healthy_training_is_as_ever_and_one_with_a_spike_is_told(
    train: Callable[..., Any], callback: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    plain = train(X, tmp_path)
    capfd.readouterr()
    watched = train(X, tmp_path, getattr(tv, callback)())
    for mine, theirs in zip(watched, plain, strict=True):
        np.testing.assert_array_equal(mine, theirs)
    assert "tapeviz: " not in capfd.readouterr().err
    if callback != "transformers_callback":  # it draws the order of the examples
        train(BAD, tmp_path, getattr(tv, callback)())
        assert "are a spike" in capfd.readouterr().err
    assert tv.record.flight_recorders == []


def test_a_watch_that_is_on_goes_on_after_a_training(tmp_path: Path) -> None:
    watching = tv.watch()
    by_keras(X, tmp_path, tv.keras_callback())
    assert watching.is_on
    watching.stop()


def test_wrong_options_are_told_where_the_callback_is_made() -> None:
    pytest.importorskip("keras")
    with pytest.raises(ValueError, match="steps must be at least 1"):
        tv.keras_callback(steps=0)
