"""What studies and runs have measured, as records."""
import csv
import json
import os
from pathlib import Path
from typing import Any, Dict, List, Union

from .errors import DataError


def _flat(cell: Dict[str, Any]) -> List[Dict[str, Any]]:
    """One record for each protocol of each evaluation of a cell: its place, then every number under its name."""
    place = {key: cell.get(key) for key in ("data", "option", "method", "seed", "status", "run")}
    place.update({f"train_{key}": value for key, value in cell.get("train", {}).items()})
    out = []
    for evaluation, protocols in cell.get("evaluations", {}).items():
        for protocol, scores in protocols.items():
            if protocol == "origin":
                continue
            numbers = {name: score["value"] for name, score in scores.items()
                       if isinstance(score, dict) and "value" in score}
            out.append({**place, "evaluation": evaluation, "protocol": protocol, **numbers})
    return out or [place]


def _number(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        return text


def results(folder: Union[str, "os.PathLike[str]"], pandas: bool = True) -> Any:
    """The results of a study (results.jsonl) or the metrics of a run (metrics.csv): a list of dictionaries, or a
    pandas.DataFrame where pandas is installed."""
    path = Path(folder)
    if (path / "results.jsonl").is_file():
        with open(path / "results.jsonl", encoding="utf-8") as file:
            records = [record for line in file if line.strip() for record in _flat(json.loads(line))]
    elif (path / "metrics.csv").is_file():
        with open(path / "metrics.csv", encoding="utf-8", newline="") as file:
            records = [{key: _number(value) for key, value in row.items()} for row in csv.DictReader(file)]
    else:
        raise DataError(f"{os.fspath(folder)}: has neither results.jsonl of a study nor metrics.csv of a run")
    if pandas:
        try:
            import pandas as pd
            return pd.DataFrame.from_records(records)
        except ModuleNotFoundError:
            pass
    return records
