"""PyTorch's part of a recording: the parts of the recorder, tied together, put in their places and taken away."""

from __future__ import annotations

from itertools import chain

from tapeviz.events.log import EventLog
from tapeviz.recorders.base import RecordOptions
from tapeviz.recorders.patches import Patches
from tapeviz.recorders.torch import collector, preparations, storages, unrecorded
from tapeviz.recorders.torch.backward.engine import Engine
from tapeviz.recorders.torch.backward.packed import PackedTensors
from tapeviz.recorders.torch.collectives import Collectives
from tapeviz.recorders.torch.compiled.calls import CompiledFunctions
from tapeviz.recorders.torch.compiled.opened import EagerlyRunFunctions
from tapeviz.recorders.torch.copies import Copies
from tapeviz.recorders.torch.custom import CustomFunctions
from tapeviz.recorders.torch.grad_attribute import GradAttribute
from tapeviz.recorders.torch.keras_steps import KerasUpdates
from tapeviz.recorders.torch.mode import FunctionMode
from tapeviz.recorders.torch.modules import Modules
from tapeviz.recorders.torch.pauses import Pauses
from tapeviz.recorders.torch.replicas import Replicas
from tapeviz.recorders.torch.scripted import ScriptedFunctions
from tapeviz.recorders.torch.session import Session
from tapeviz.recorders.torch.shards import Shards
from tapeviz.recorders.torch.stack import ModeRemoval, push
from tapeviz.recorders.torch.steps import Optimizers
from tapeviz.recorders.torch.subclasses import Subclasses
from tapeviz.recorders.torch.transforms import Transforms
from tapeviz.recorders.torch.workers import Workers


class TorchRecorder:
    """Writes what PyTorch does in the current thread into a log."""

    def __init__(self, options: RecordOptions) -> None:
        self._options = options
        self._patches = Patches()

    def start(self, log: EventLog) -> None:
        """From here on everything goes into the log."""
        session, patches = Session(log), self._patches
        gradients, pauses = GradAttribute(session), Pauses(session)
        mode = FunctionMode(session, gradients, pauses)
        patches.finally_(session.close)
        modules = Modules(session, mode)
        compiled = (
            EagerlyRunFunctions(session, patches)
            if self._options.functions == "eager"
            else CompiledFunctions(session, mode, patches)
        )
        tables = (
            collector.rows(),
            pauses.rows(),
            unrecorded.rows(session, mode),
            compiled.rows(),
            CustomFunctions(session, mode, pauses).rows(),
            session.witnesses.rows(),
            ScriptedFunctions(session, mode).rows(),
            Replicas(session, mode).rows(),
            PackedTensors(session).rows(),
            Engine(session, mode, gradients).rows(),
            Transforms(session, mode).rows(),
            Subclasses(session, mode).rows(),
            Workers(session, mode).rows(),
            modules.rows(),
            Copies(session, mode).rows(),
            storages.rows(session.here, session.values.about_to_be_given_back),
            Optimizers(session, mode, gradients).rows(),
            KerasUpdates(session, mode).rows(),
        )
        patches.install(chain.from_iterable(tables))
        Collectives(session, mode, gradients, patches).watch()
        Shards(session, mode, patches, modules.path).watch()
        preparations.watch(session, mode, patches)
        log.resolvers += (session.ledger.resolve,)
        patches.finally_(ModeRemoval(mode))
        patches.finally_(mode.end_step)
        push(mode)

    def stop(self) -> None:
        """Take every hook away."""
        self._patches.undo()
