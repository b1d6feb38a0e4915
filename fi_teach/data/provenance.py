"""Where every vendored table comes from, whose it is, under which terms, and its file's checksum.

Keys in brackets, such as [quinlan1986], are entries of the book's bibliography.
`terms` names files of licences/, which travel with the tables: those of the package a table was
taken from, and of the original where that states any. `holder` is who is named as holding the
rights; a table without terms was typed in from a text that states none.
`python -m fi_teach.data.provenance` prints this list as the table that README.md beside it holds.
"""

from pathlib import Path

LICENCES = Path(__file__).with_name("licences")

PROVENANCE: dict[str, dict] = {
    "golf": {
        "title": "Golf",
        "source": (
            "Fourteen days after Quinlan's weather example [quinlan1986]; coded as numbers in the"
            " golf post"
        ),
        "package": None,
        "licence": "none stated; fourteen textbook facts in general use",
        "holder": "nobody: facts of a textbook",
        "terms": (),
        "changes": "none: the codes as printed; their words are in fi_teach.data.small",
        "sha256": "9bcbc03cec273296a606971efaa75187fec579f9d400bc1e420e4d0b5a500483",
    },
    "midterm": {
        "title": "Midterm",
        "source": "Eight invented students of the midterm slides",
        "package": None,
        "licence": "none stated; eight textbook facts",
        "holder": "nobody: facts of a slide",
        "terms": (),
        "changes": "none",
        "sha256": "07cccd84a4680321bc89f16e7876991db6416e01ac242de9e71ca50b23965111",
    },
    "bananas": {
        "title": "Bananas",
        "source": "Four invented fruits of the random-forest slides",
        "package": None,
        "licence": "none stated; four textbook facts",
        "holder": "nobody: facts of a slide",
        "terms": (),
        "changes": "none",
        "sha256": "98909a32aa675675c058883b65a5f4a00645c4d889585553b1179969a138e842",
    },
    "mtcars": {
        "title": "Motor Trend cars",
        "source": "Motor Trend magazine 1974, as printed by Henderson and Velleman [henderson1981]",
        "package": "R package datasets, data set mtcars",
        "licence": "R is GPL-2 or GPL-3; published measurements",
        "holder": "the R Core Team (package datasets); Motor Trend magazine measured",
        "terms": ("GPL-2", "GPL-3"),
        "changes": "the column of row names is called model",
        "sha256": "48c52ce5303f0abe6e662cde775cecdba87e11982941f94d6f78edb994c36ca5",
    },
    "tissues": {
        "title": "Tissue gene expression",
        "source": (
            "189 human samples, 500 genes drawn at random from the microarrays of "
            "github.com/genomicsclass/tissuesGeneExpression, which names no original studies "
            "[dslabs]"
        ),
        "package": "R package dslabs, data set tissue_gene_expression",
        "licence": "Artistic-2.0 (dslabs); the collection it was drawn from is GPL-3",
        "holder": "Rafael A. Irizarry (dslabs)",
        "terms": ("Artistic-2.0", "GPL-3"),
        "changes": (
            "sample names dropped, prefix x. of the gene names dropped, y is called tissue and "
            "comes first; no rounding"
        ),
        "sha256": "17d81f3835acb66d580971aa356bb3333510b41b6c89b00d86503d922171d102",
    },
    "concrete": {
        "title": "Concrete strength",
        "source": "Laboratory mixes gathered by Yeh [yeh1998]",
        "package": "R package modeldata, data set concrete",
        "licence": (
            "MIT (modeldata); the original file is distributed by the UCI repository under CC BY "
            "4.0"
        ),
        "holder": "modeldata authors; I-Cheng Yeh (the original)",
        "terms": ("MIT", "CC-BY-4.0"),
        "changes": "row numbers dropped",
        "sha256": "431e0b0b8bab99794c905cb45440a089c32c8f6d14bfd2602d1449727db92222",
    },
    "credit_cards": {
        "title": "Credit-card applications",
        "source": (
            "Table F21.4 of Greene's textbook, online complements [greene2003]; studied in "
            "[greene1992]"
        ),
        "package": "R package AER, data set CreditCard",
        "licence": "AER is GPL-2 or GPL-3; the textbook's tables state no licence",
        "holder": (
            "Christian Kleiber and Achim Zeileis (AER); "
            "William H. Greene (the textbook's table)"
        ),
        "terms": ("GPL-2", "GPL-3"),
        "changes": "row numbers dropped",
        "sha256": "c59ac5d92172bd88bf0c5304c8978cacabad54cd479072b1890b52983080f6db",
    },
    "mortgages": {
        "title": "Boston mortgage applications",
        "source": (
            "Federal Reserve Bank of Boston, Home Mortgage Disclosure Act data of 1990 "
            "[munnell1996], as selected by Stock and Watson for their textbook, online complements "
            "[stock2007]"
        ),
        "package": "R package AER, data set HMDA",
        "licence": "AER is GPL-2 or GPL-3; the original survey states no licence",
        "holder": (
            "Christian Kleiber and Achim Zeileis (AER); "
            "James H. Stock and Mark W. Watson (the selection)"
        ),
        "terms": ("GPL-2", "GPL-3"),
        "changes": "row numbers dropped",
        "sha256": "f3fc4072a77b05bedf36168dec3edbf38ab4b19a8238c3d8f6064bbfeeab734b",
    },
    "gbsg2": {
        "title": "Breast-cancer recurrence (GBSG2)",
        "source": "German Breast Cancer Study Group, trial 2 [schumacher1994]",
        "package": (
            "Python package scikit-survival, load_gbsg2, after R package TH.data, data set GBSG2"
        ),
        "licence": "GPL-3 (TH.data and scikit-survival)",
        "holder": "Torsten Hothorn (TH.data)",
        "terms": ("GPL-3",),
        "changes": "whole numbers written without a decimal point, cens written as 0 and 1",
        "sha256": "1164011b336d1953f4d74daf760641822e1c5b8a1df469f2f0742ccbddc5161f",
    },
    "meats": {
        "title": "Meat spectra",
        "source": (
            "Near-infrared spectra recorded on a Tecator Infratec Food and Feed Analyzer "
            "[borggaard1992]"
        ),
        "package": "R package modeldata, data set meats",
        "licence": "public domain, if the permission note below stays attached; MIT (modeldata)",
        "holder": "modeldata authors; Tecator AB (the original)",
        "terms": ("MIT",),
        "changes": "row numbers dropped",
        "sha256": "c8d0fa4920c56bb115cc6e53b9df5aa096bdf87edc3e5972dc98321dd7a21118",
    },
    "loans": {
        "title": "Consumer loans",
        "source": (
            "Loans of a credit-scoring exercise by Belanche and Aluja, after the repository "
            "CreditScoring of Sanchez [loansdata]"
        ),
        "package": "R package modeldata, data set credit_data",
        "holder": "modeldata authors; L. A. Belanche and T. Aluja (the course's data)",
        "terms": ("MIT",),
        "licence": "MIT (modeldata); the course it was made for states no licence",
        "changes": "row numbers dropped, whole numbers written without a decimal point",
        "sha256": "43c83a4630f1995f00b456becc4a84219616a2f2bae445e86c706264cc9050a4",
    },
}


def check_name(name: str) -> None:
    """Raises ValueError unless this is a vendored table's name."""
    if name not in list(PROVENANCE):
        raise ValueError(f"unknown table {name!r}: expected one of {', '.join(PROVENANCE)}.")


def licence_texts(name: str) -> dict[str, str]:
    """The texts under which a table is passed on -> {licence: text}, empty for typed-in facts.

    Raises ValueError for a table that is not there.

    >>> list(licence_texts("gbsg2"))
    ['GPL-3']
    """
    check_name(name)
    terms = PROVENANCE[name]["terms"]
    return {term: (LICENCES / f"{term}.txt").read_text(encoding="utf-8") for term in terms}


def provenance_table() -> str:
    """The list as a Markdown table, one data set a row."""
    lines = [
        "| file | what | source | taken from | holder | licence | texts | changes | sha256 |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for name, record in PROVENANCE.items():
        cells = [
            f"{name}.csv",
            record["title"],
            record["source"],
            record["package"] or "typed in by hand",
            record["holder"],
            record["licence"],
            ", ".join(f"[{name}](licences/{name}.txt)" for name in record["terms"]) or "none",
            record["changes"],
            f"`{record['sha256']}`",
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(provenance_table(), end="")
