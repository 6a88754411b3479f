"""Run the programs that have the twenty faults, and the healthy ones, and print what is named, and false alarms.

python -m tests.diagnosis.ranks [--wide]     with hidden layers 512 times as wide: a log has no numbers of these
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import tapeviz as tv
from tests.diagnosis.ranks import programs
from tests.diagnosis.ranks.faults import FAULTS, TWENTY, found_in, missing
from tests.processes import together


def main() -> None:
    """Run all programs, and print a line for each fault."""
    wide = "--wide" in sys.argv
    os.environ["TAPEVIZ_WIDER"] = "512" if wide else "1"
    with TemporaryDirectory() as folder:
        together("tests.diagnosis.ranks.programs", folder)
        lacks = {name: missing(fault, found_in(Path(folder, name)), wide=wide) for name, fault in FAULTS.items()}
        alarms = {
            each.__name__: [
                str(found) for found in tv.diagnose(tv.load(Path(folder, each.__name__))) if found.severity != "hint"
            ]
            for each in programs.HEALTHY
        }
    named = 0
    for number, title in TWENTY.items():
        settings = {name: fault.setting for name, fault in FAULTS.items() if fault.number == number}
        told = [
            f"{setting}: {'named' if not lacks[name] else f'lacks {lacks[name]}'}" for name, setting in settings.items()
        ]
        print(f"{number:2} {title:62} {'; '.join(told)}")
        named += min(2, len({setting for name, setting in settings.items() if not lacks[name]}))
    print(f"{named} of {2 * len(TWENTY)} named, each fault in two settings; {len(FAULTS)} programs")
    print(f"{sum(map(bool, alarms.values()))} false alarms on {len(alarms)} healthy programs")
    for name, found in alarms.items():
        for each in found:
            print(f"  {name}: {each}")


if __name__ == "__main__":
    main()
